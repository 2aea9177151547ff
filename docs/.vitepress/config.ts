import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, postcssIsolateStyles } from 'vitepress';
import { groupCode } from './code-groups.ts';
import { anchorOf, linkCode, resolveLinks } from './links.ts';
import { DOCS, EXCLUDED, NAMES, SIDEBAR } from './pages.ts';
import { splitIntoSections } from './search-sections.ts';

const FLAT = '[name].[hash]';

/** Gives files no folders, because the service serves each at one segment below /docs. */
const flatNames: Plugin = {
  name: 'flat-names',
  config: (_, { isSsrBuild }) => {
    const scripts = isSsrBuild ? {} : { entryFileNames: `${FLAT}.js`, chunkFileNames: `${FLAT}.js` };
    const outputOptions = (given: object) => ({ ...given, ...scripts, assetFileNames: `${FLAT}[extname]` });
    return { build: { rollupOptions: { output: { plugins: [{ name: 'flat-names', outputOptions }] } } } };
  },
};

/** Keeps the styles of the site for elements away from the reference, whose own styles are in layers. */
const withoutReference = postcssIsolateStyles({
  includeFiles: [/base\.css/],
  prefix: ':not(:where(.scalar-app, .scalar-app *))',
});

export default defineConfig({
  lang: 'en',
  title: 'Duebook',
  description: 'The invoicing API: invoices, payments, credit notes and their events',
  base: '/docs/',
  srcDir: fileURLToPath(DOCS),
  assetsDir: '.',
  // The style of icons is empty, because no page uses an icon by its name.
  transformHtml: (html) => html.replaceAll('/docs/./', '/docs/').replace(/ *<link [^>]*vp-icons\.css[^>]*>\n/, ''),
  // To suspend the transitions, a page would compute its styles twice while it loads.
  appearance: { disableTransition: false },
  cleanUrls: true,
  // With more at once, the search index, and so the names of files, would depend on the order in which pages are ready.
  buildConcurrency: 1,
  srcExclude: EXCLUDED,
  rewrites: Object.fromEntries([...NAMES].map(([file, name]) => [file, `${name}.md`])),
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/docs/mark.svg' }],
    // A picture has the scheme of the page, not of the system.
    ['style', {}, ':root:not(.dark){color-scheme:light}'],
  ],
  markdown: {
    anchor: { slugify: anchorOf },
    config: (markdown) => {
      resolveLinks(markdown);
      linkCode(markdown);
      groupCode(markdown);
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: {
    publicDir: 'site/public',
    plugins: [flatNames],
    css: { postcss: { plugins: [withoutReference] } },
  },
  // The address of the first page is /docs, to which VitePress would add a slash.
  transformPageData: ({ relativePath }) => (relativePath === 'index.md' ? { relativePath: '../docs.md' } : {}),
  themeConfig: {
    logo: '/mark.svg',
    logoLink: '/docs',
    nav: [
      { text: 'Guides', link: '/getting-started', activeMatch: '^/(?!\\.\\.|reference|explorer)' },
      { text: 'Reference', link: '/reference' },
      { text: 'Explorer', link: '/explorer' },
    ],
    sidebar: SIDEBAR,
    outline: [2, 3],
    search: { provider: 'local', options: { miniSearch: { _splitIntoSections: splitIntoSections } } },
  },
});

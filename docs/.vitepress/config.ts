import { defineConfig, type Plugin } from 'vitepress';
import { anchorOf, resolveLinks } from './links.ts';
import { EXCLUDED, NAMES, SIDEBAR } from './pages.ts';

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

export default defineConfig({
  lang: 'en',
  title: 'Duebook',
  description: 'The invoicing API: invoices, payments, credit notes and their events',
  base: '/docs/',
  assetsDir: '.',
  cleanUrls: true,
  srcExclude: EXCLUDED,
  rewrites: Object.fromEntries([...NAMES].map(([file, name]) => [file, `${name}.md`])),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/docs/mark.svg' }]],
  markdown: { anchor: { slugify: anchorOf }, config: resolveLinks },
  vite: { plugins: [flatNames] },
  themeConfig: {
    logo: '/mark.svg',
    logoLink: '/docs',
    nav: [
      { text: 'Guides', link: '/getting-started' },
      { text: 'Reference', link: '/reference', target: '_self' },
      { text: 'Explorer', link: '/explorer' },
    ],
    sidebar: SIDEBAR,
    outline: [2, 3],
    search: { provider: 'local' },
  },
});

import { useEventListener, useLocalStorage } from '@vueuse/core';
import { onContentUpdated, type Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { EXAMPLE_ADDRESS } from './reference/examples.ts';
import { searchOptions } from './search.ts';
import './style.css';

/** Gives the examples the address of this service. */
const fillInAddress = (): void => {
  for (const code of document.querySelectorAll('.vp-doc code'))
    if (code.textContent.includes(EXAMPLE_ADDRESS))
      code.innerHTML = code.innerHTML.replaceAll(EXAMPLE_ADDRESS, location.origin);
};

/** Makes the content of the first page a landmark, and lets the link that skips to the content lead to the text. */
const markMain = (): void => {
  const [content, main = content] = document.querySelectorAll('.VPContent, .VPDoc main');
  if (!content || !main) return;
  content.role = content.querySelector('main') ? null : 'main';
  [content.id, main.id] = ['', 'VPContent'];
};

/** The language of examples that the reader has selected. */
const language = useLocalStorage('language', '');

/** Selects it in all groups of examples, each of which VitePress scrolls to, and keeps a label, or what is read, in its place. */
const showLanguage = (label?: unknown): void => {
  const kept = label instanceof Element ? label : (document.querySelector(':target') ?? document.documentElement);
  const { top } = kept.getBoundingClientRect();
  const tabs = document.querySelectorAll<HTMLElement>(`.vp-code-group input:has(+ [data-title="${language.value}"])`);
  for (const tab of tabs) tab.click();
  scrollBy(0, kept.getBoundingClientRect().top - top);
};

const followTab = ({ target }: Event): void => {
  const label = (target as Element).nextElementSibling;
  if (!label?.matches('.vp-code-group label') || label.textContent === language.value) return;
  language.value = label.textContent;
  showLanguage(label);
};

/** Returns the focus from the search, which leaves it nowhere. */
const returnFocus = ({ key }: KeyboardEvent): void => {
  if (key !== 'Escape' || !document.querySelector('.VPLocalSearchBox')) return;
  setTimeout(() => document.querySelector<HTMLElement>('.DocSearch-Button')?.focus());
};

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router, siteData }) {
    app.provide('router', router);
    // A page with views of its own keeps its state when the reader goes back to another view.
    router.onBeforePageLoad = (to) =>
      to.split('#', 1)[0] !== router.route.path || router.route.data.frontmatter['pageClass'] !== 'with-menu';
    // The router only scrolls to the heading of the address.
    router.onAfterRouteChange = () => {
      if (import.meta.env.SSR) return;
      setTimeout(() => document.getElementById(location.hash.slice(1))?.focus({ preventScroll: true }));
    };
    siteData.value.themeConfig.search.options = { detailedView: true, miniSearch: { searchOptions } };
  },
  setup() {
    useEventListener('keydown', returnFocus, true);
    useEventListener('change', followTab);
    for (const adapt of [fillInAddress, markMain]) onContentUpdated(adapt);
    // The router scrolls to the target in the next frame, to where it was before.
    onContentUpdated(() => (document.querySelector(':target') ? requestAnimationFrame(showLanguage) : showLanguage()));
  },
} satisfies Theme;

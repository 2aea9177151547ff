import { onContentUpdated, type Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { onMounted } from 'vue';
import { EXAMPLE_ADDRESS } from './reference/examples.ts';
import { searchOptions } from './search.ts';
import './style.css';

/** Gives the examples the address of this service. */
const fillInAddress = (): void => {
  for (const code of document.querySelectorAll('.vp-doc code'))
    if (code.textContent.includes(EXAMPLE_ADDRESS))
      code.innerHTML = code.innerHTML.replaceAll(EXAMPLE_ADDRESS, location.origin);
};

/** Makes the content of the first page a landmark, as that of other pages is. */
const markMain = (): void => {
  const content = document.querySelector('.VPContent');
  if (content) content.role = content.matches('.is-home') ? 'main' : null;
};

/** Returns the focus from the search, which leaves it nowhere. */
const returnFocus = ({ key }: KeyboardEvent): void => {
  if (key !== 'Escape' || !document.querySelector('.VPLocalSearchBox')) return;
  setTimeout(() => document.querySelector<HTMLElement>('.DocSearch-Button')?.focus());
};

export default {
  extends: DefaultTheme,
  enhanceApp({ siteData }) {
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions } };
  },
  setup() {
    onMounted(() => addEventListener('keydown', returnFocus, true));
    onContentUpdated(fillInAddress);
    onContentUpdated(markMain);
  },
} satisfies Theme;

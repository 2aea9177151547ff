import { onContentUpdated, type Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { EXAMPLE_ADDRESS } from './reference/examples.ts';
import { searchOptions } from './search.ts';
import './style.css';

/** Gives the examples the address of this service. */
const fillInAddress = (): void => {
  for (const code of document.querySelectorAll('.vp-doc code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      if (text.data.includes(EXAMPLE_ADDRESS)) text.data = text.data.replaceAll(EXAMPLE_ADDRESS, location.origin);
    }
  }
};

/** Makes the content of the first page a landmark, as that of other pages is. */
const markMain = (): void => {
  const content = document.querySelector('.VPContent');
  if (content?.matches('.is-home')) content.setAttribute('role', 'main');
  else content?.removeAttribute('role');
};

export default {
  extends: DefaultTheme,
  enhanceApp({ siteData }) {
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions } };
  },
  setup() {
    onContentUpdated(fillInAddress);
    onContentUpdated(markMain);
  },
} satisfies Theme;

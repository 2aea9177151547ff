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

/** Makes the content of the first page a landmark, as that of other pages is. */
const markMain = (): void => {
  const content = document.querySelector('.VPContent');
  if (content) content.role = content.matches('.is-home') ? 'main' : null;
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

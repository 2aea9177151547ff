/** The elements of the reference that scroll, and that contain nothing that takes the focus. */
const SCROLLABLE = 'pre code, .endpoints';

/** Makes elements that scroll focusable, so that the arrow keys scroll them (WCAG 2.1, 2.1.1). */
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
  }
});

const additions = new MutationObserver((mutations) => {
  for (const node of mutations.flatMap(({ addedNodes }) => [...addedNodes])) {
    if (node instanceof Element) for (const added of node.querySelectorAll(SCROLLABLE)) sizes.observe(added);
  }
});
/** @param {Element} reference */
export const makeScrollable = (reference) => additions.observe(reference, { childList: true, subtree: true });

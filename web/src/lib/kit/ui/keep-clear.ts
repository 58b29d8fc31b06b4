/** Attachment for a bar that stays in sight: scrolls what gets the focus to where the bar does not cover it. */
export function keepClear(bar: HTMLElement): () => void {
  const { style } = document.documentElement;
  const fit = (): void => {
    const { position, top } = getComputedStyle(bar);
    style.scrollPaddingTop = position === 'sticky' ? `calc(${top} + ${bar.offsetHeight}px + 0.5rem)` : '';
  };
  const watching = new ResizeObserver(fit);
  watching.observe(bar);
  return () => {
    watching.disconnect();
    style.scrollPaddingTop = '';
  };
}

/** The same for a bar that stays at the lower edge. */
export function keepClearAbove(bar: HTMLElement): () => void {
  const { style } = document.documentElement;
  const fit = (): void => {
    style.scrollPaddingBottom =
      getComputedStyle(bar).position === 'sticky' ? `calc(${bar.offsetHeight}px + 0.5rem)` : '';
  };
  const watching = new ResizeObserver(fit);
  watching.observe(bar);
  return () => {
    watching.disconnect();
    style.scrollPaddingBottom = '';
  };
}

/** iOS lays its keyboard over the page: the page is as high as what is left. Returns what ends it. */
export function fitAboveKeyboard(): () => void {
  const seen = window.visualViewport;
  if (seen === null) return () => undefined;
  const { style } = document.documentElement;
  const fit = (): void => {
    if (seen.scale === 1) style.setProperty('--seen-height', `${seen.height}px`);
  };
  seen.addEventListener('resize', fit);
  return () => {
    seen.removeEventListener('resize', fit);
    style.removeProperty('--seen-height');
  };
}

/** The innermost box around `element` that scrolls; null where that is the page. */
export function scrollBoxOf(element: Element): HTMLElement | null {
  for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight) return box;
  }
  return null;
}

/** Scrolls the innermost box and nothing around it: an answer beside a form must not move the form. */
export function bringIntoSight(element: Element, block: 'end' | 'nearest'): void {
  const box = scrollBoxOf(element);
  if (box === null) return element.scrollIntoView({ block });
  const padding = Number.parseFloat(getComputedStyle(box).scrollPaddingBottom) || 0;
  const [place, sight] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
  const below = place.bottom - (sight.bottom - padding);
  if (block === 'end' || below > 0) box.scrollTop += below;
  else if (place.top < sight.top) box.scrollTop -= sight.top - place.top;
}

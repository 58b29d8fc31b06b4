type TextField = HTMLInputElement | HTMLTextAreaElement;

export interface Focused {
  readonly testid: string;
  readonly from: number | null;
  readonly to: number | null;
}

const named = (testid: string): HTMLElement | null => document.querySelector(`[data-testid="${testid}"]`);
const isText = (element: Element | null): element is TextField =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

/** Menus and other windows swallow the release itself. */
const RELEASES = ['pointerup', 'pointercancel', 'contextmenu', 'blur'] as const;

/** Events that may find nothing held down or composed any more, whatever was swallowed before. */
const ENDS = [...RELEASES, 'compositionend', 'pointermove', 'keydown'] as const;

let isDown = false;
let isComposing = false;
function released({ type, target }: Event): void {
  // The blur of a field passes by here, too.
  if (type !== 'blur' || !(target instanceof Node)) isDown = false;
}
if (typeof addEventListener === 'function') {
  const options = { capture: true, passive: true };
  addEventListener('pointerdown', ({ button }) => (isDown = button === 0), options);
  for (const end of RELEASES) addEventListener(end, released, options);
  // A pointer that moves with no button down was released where nobody heard it.
  addEventListener('pointermove', ({ buttons }) => (isDown &&= buttons !== 0), options);
  addEventListener('compositionstart', () => (isComposing = true), options);
  addEventListener('compositionend', () => (isComposing = false), options);
  // A field that goes away while something is composed in it says nothing of the end.
  addEventListener('keydown', (event) => (isComposing &&= event.isComposing), options);
}

/** Resolves when nothing is held down or composed: a press and its release, or a composed letter, need one element. */
export async function whenAtRest(): Promise<void> {
  while (isDown || isComposing) {
    const over = new AbortController();
    await new Promise((resolve) => {
      for (const end of ENDS) addEventListener(end, resolve, { capture: true, signal: over.signal });
    });
    over.abort();
    // The click comes after the release.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Element inside `stage` that has the focus, and the selection in it. */
export function focusedIn(stage: HTMLElement | undefined): Focused | null {
  const element = document.activeElement;
  const testid = element instanceof HTMLElement ? element.dataset['testid'] : undefined;
  if (testid === undefined || stage?.contains(element) !== true) return null;
  const [from, to] = isText(element) ? [element.selectionStart, element.selectionEnd] : [null, null];
  return { testid, from, to };
}

/** Puts into the fields of the same names what was typed, then the focus and the selection, then presses the button. */
export function carryOver(
  typed: Readonly<Record<string, string>>,
  focused: Focused | null,
  pressed: string | null,
): void {
  for (const [testid, text] of Object.entries(typed)) {
    const field = named(testid);
    if (text === '' || !isText(field)) continue;
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  if (focused !== null) {
    const element = named(focused.testid);
    element?.focus({ preventScroll: true });
    if (isText(element) && focused.from !== null) element.setSelectionRange(focused.from, focused.to);
  }
  if (pressed !== null) named(pressed)?.click();
}

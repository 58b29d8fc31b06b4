import { dialogs } from '$lib/kit/ui/dialogs.svelte';
import { keep, kept } from '$lib/kit/i18n/kept';

const STORED = 'bellwether.shortcuts';

/** Whether keys without Ctrl or Alt do something outside fields; whoever dictates to the computer switches it off (WCAG 2.1.4). */
class Shortcuts {
  enabled = $state(kept(STORED) !== 'off');

  use(enabled: boolean): void {
    this.enabled = enabled;
    keep(STORED, enabled ? 'on' : 'off');
  }
}

export const shortcuts = new Shortcuts();

/** The sheet of all keys. */
export const showKeyboard = (): void => dialogs.open(() => import('./KeyboardSheet.svelte'), {});

const FIELDS = 'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="menu"], dialog';

/** Whether a key pressed here is a shortcut and no text. */
export const isShortcut = (event: KeyboardEvent): boolean =>
  shortcuts.enabled &&
  !event.defaultPrevented &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !(event.target instanceof Element && event.target.closest(FIELDS) !== null);

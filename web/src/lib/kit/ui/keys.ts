/** With Ctrl, or Cmd on a Mac, and without Alt: AltGr, which writes characters on many keyboards, is Ctrl and Alt. */
export const isCommand = (event: KeyboardEvent): boolean => (event.ctrlKey || event.metaKey) && !event.altKey;

/** Ctrl+S, whatever the shift key does. */
export const isSave = (event: KeyboardEvent): boolean => isCommand(event) && event.key.toLowerCase() === 's';

/** Step that Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y ask for; null for other keys. */
export function stepOf(event: KeyboardEvent): 'undo' | 'redo' | null {
  const key = event.key.toLowerCase();
  if (!isCommand(event) || (key !== 'z' && key !== 'y')) return null;
  return key === 'z' && !event.shiftKey ? 'undo' : 'redo';
}

import { t } from '$lib/kit/i18n/i18n.svelte';
import { announcer } from '$lib/kit/ui/announcer.svelte';
import type { TemplateDocument } from './document';

/** Takes the last step back and says so where it was more than typing, which is heard anyway. */
export function undo(document: TemplateDocument): void {
  const step = document.undoText;
  document.undo();
  if (step !== null) announcer.say(t('template.undone', { step }));
}

export function redo(document: TemplateDocument): void {
  const step = document.redoText;
  document.redo();
  if (step !== null) announcer.say(t('template.redone', { step }));
}

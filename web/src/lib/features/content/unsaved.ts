import { beforeNavigate } from '$app/navigation';
import { t } from '$lib/kit/i18n/i18n.svelte';

/** Asks before unsaved changes are left behind, by a link or by closing the page. To be called while a component is made. */
export function guardUnsaved(isDirty: () => boolean): void {
  beforeNavigate((navigation) => {
    if (!isDirty()) return;
    // The browser asks by itself when the page is closed or left for another site.
    if (navigation.willUnload || !confirm(t('content.unsaved'))) navigation.cancel();
  });
}

import { getContext, onDestroy, setContext } from 'svelte';
import { guardUnsaved } from '$lib/features/content/unsaved';

type Forms = Set<() => boolean>;
const FORMS = Symbol('forms of a page');

/** One question for all forms of a page, however many of them hold something unsaved. */
export function guardForms(): void {
  const forms: Forms = new Set();
  setContext(FORMS, forms);
  guardUnsaved(() => [...forms].some((isDirty) => isDirty()));
}

/** A form of a page that asks before it is left. To be called while its component is made. */
export function holdsUnsaved(isDirty: () => boolean): void {
  const forms = getContext<Forms>(FORMS);
  forms.add(isDirty);
  onDestroy(() => forms.delete(isDirty));
}

import { t } from '$lib/kit/i18n/i18n.svelte';

type Checked = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isChecked = (target: EventTarget | null): target is Checked =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

/** Fault in the reader's language; null where the browser has to say it. */
function textFor(field: Checked): string | null {
  const { validity } = field;
  if (validity.valueMissing) return t('tools.error.required');
  if (validity.typeMismatch) return t(field.type === 'email' ? 'problem.value.email' : 'problem.address.invalid');
  if (validity.patternMismatch) return t('problem.value.pattern');
  if (validity.badInput) return t('tools.error.number');
  if (field instanceof HTMLInputElement) {
    if (validity.rangeUnderflow) return t('tools.error.minimum', { n: field.min });
    if (validity.rangeOverflow) return t('tools.error.maximum', { n: field.max });
    if (validity.stepMismatch) return t('tools.error.whole');
  }
  return null;
}

/** Browsers word the checks of forms in their own language. Gives them the reader's words; returns the end of it. */
export function wordValidation(): () => void {
  const onInvalid = ({ target }: Event): void => {
    if (isChecked(target) && !target.validity.customError) target.setCustomValidity(textFor(target) ?? '');
  };
  // A field with words of ours counts as invalid until they are taken back.
  const onInput = ({ target }: Event): void => {
    if (isChecked(target)) target.setCustomValidity('');
  };
  addEventListener('invalid', onInvalid, true);
  addEventListener('input', onInput, true);
  addEventListener('change', onInput, true);
  return () => {
    removeEventListener('invalid', onInvalid, true);
    removeEventListener('input', onInput, true);
    removeEventListener('change', onInput, true);
  };
}

import { afterEach, beforeEach, expect, it } from 'vitest';
import { wordValidation } from './native-validation';

let stop: () => void;
beforeEach(() => {
  stop = wordValidation();
  document.body.innerHTML =
    '<form><input id="name" required /><input id="address" type="url" value="no address" /></form>';
});
afterEach(() => stop());

const field = (id: string): HTMLInputElement => document.getElementById(id) as HTMLInputElement;

// Without a language loaded a text is its key.
it('gives what a browser checks words of the reader', () => {
  field('name').checkValidity();
  field('address').checkValidity();
  expect(field('name').validationMessage).toBe('tools.error.required');
  expect(field('address').validationMessage).toBe('problem.address.invalid');
});

it('takes the words back as soon as the field changes', () => {
  field('name').checkValidity();
  field('name').value = 'Ada';
  field('name').dispatchEvent(new Event('input', { bubbles: true }));
  expect(field('name').checkValidity()).toBe(true);
});

import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TemplateDocument } from './document';
import { FixedTemplate } from './fixed-template.svelte';
import { plainChoice } from './plain-choice.svelte';
import TemplateEditor from './TemplateEditor.svelte';

const FILLERS = [{ name: 'context', fills: true, title: 'Search' }];

const shown = (document: TemplateDocument): HTMLTextAreaElement => {
  render(TemplateEditor, { document, label: 'Template' });
  return screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Template' });
};
const states = (): (string | undefined)[] =>
  screen.getAllByTestId('template-chip').map(({ dataset }) => dataset['state']);

describe('the template as plain text', () => {
  beforeEach(() => plainChoice.set(true));
  afterEach(cleanup);

  it('inserts a placeholder at the caret, at the end for who was not there yet', async () => {
    const document = new FixedTemplate('before after', () => FILLERS);
    const area = shown(document);
    const [context, question] = screen.getAllByTestId('template-chip');
    await fireEvent.click(context as HTMLElement);
    expect(document.template).toBe('before after{context}');
    area.setSelectionRange(7, 7);
    await fireEvent.click(question as HTMLElement);
    expect(document.template).toBe('before {user_input}after{context}');
    expect(states()).toEqual(['used', 'used']);
    expect(screen.getByTestId('template-fine')).toBeTruthy();
  });

  it('breaks no placeholder that the caret stands in', async () => {
    const document = new FixedTemplate('a {context} b', () => FILLERS);
    const area = shown(document);
    area.focus();
    area.setSelectionRange(5, 5);
    await fireEvent.click(screen.getAllByTestId('template-chip')[1] as HTMLElement);
    expect(document.template).toBe('a {context}{user_input} b');
  });

  it('undoes with the keys what the document did, whoever did it', async () => {
    const document = new FixedTemplate('{context}', () => FILLERS);
    const area = shown(document);
    document.edit('{context} {user_input}', 'A step from elsewhere');
    await fireEvent.keyDown(area, { key: 'z', ctrlKey: true });
    expect([document.template, area.value]).toEqual(['{context}', '{context}']);
    await fireEvent.keyDown(area, { key: 'y', ctrlKey: true });
    expect(area.value).toBe('{context} {user_input}');
    expect(states()).toEqual(['used', 'used']);
  });

  it('keeps the caret on its word when placeholders are renamed around it', async () => {
    const document = new FixedTemplate('{context} word', () => FILLERS);
    const area = shown(document);
    area.focus();
    area.setSelectionRange(10, 10);
    document.edit('{10_long_context} word', 'Rename');
    await Promise.resolve();
    expect(area.value.slice(area.selectionStart)).toBe('word');
  });

  it('offers to put in what is unused and to take out what nothing fills', async () => {
    const document = new FixedTemplate('{user_input}{context}{context}', () => [{ name: 'context', fills: false }]);
    shown(document);
    await fireEvent.click(screen.getByTestId('template-fix-remove'));
    expect(document.template).toBe('{user_input}');
    expect(screen.queryByTestId('template-message')).toBeNull();
  });

  it('shows the first of many notes', async () => {
    const fillers = Array.from({ length: 12 }, (_, index) => ({ name: `${index + 1}_context`, fills: true }));
    shown(new FixedTemplate('{user_input}', () => fillers));
    expect(screen.getAllByTestId('template-message')).toHaveLength(5);
    await fireEvent.click(screen.getByTestId('template-show-all'));
    expect(screen.getAllByTestId('template-message')).toHaveLength(12);
  });
});

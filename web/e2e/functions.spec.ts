// What a model may call, and converting a classic assistant.
import { check, expect, shot, test } from './support/fixtures';

const multiTool = (functions: readonly unknown[]): object => ({
  _format_version: 3,
  assistant_type: 'multi_tool',
  connector: 'openai',
  tools: [],
  functions,
});

test('functions are chosen, set and saved; an assistant that calls functions cannot be one', async ({ page, api }) => {
  const make = (name: string, functions: readonly unknown[]): Promise<any> =>
    api.post('/api/v1/assistants', { name, prompt_template: '{user_input}', metadata: multiTool(functions) });
  const caller = await make('Calls functions', ['weather']);
  const tutor = await make('Statistics tutor', []);
  const { id } = await make('Has functions', []);

  await page.goto(`/multi-tool-assistants/${id}`);
  const list = page.getByTestId('functions-list');
  await page.getByTestId('functions-section').getByText('Add functions').click();
  await expect(list.getByTestId('functions-summary')).toContainText('No functions selected');
  await list.getByTestId('function-option-weather').getByRole('checkbox').check();
  await list.getByRole('button', { name: 'Settings of Weather' }).click();
  await page.getByTestId('function-dialog').getByRole('combobox').selectOption({ index: 1 });
  await check(page);
  await shot(page, 'function-dialog');
  await page.getByTestId('save-function').click();

  await list.getByTestId('function-group-assistant').locator('summary').click();
  const refused = list.getByTestId(`function-option-assistant-${caller.id}`);
  await expect(refused).toContainText('tool-using assistants cannot be added as tools');
  await expect(refused.getByRole('checkbox')).toBeDisabled();
  await expect(list.getByTestId(`function-option-assistant-${id}`).getByRole('checkbox')).toBeDisabled();
  await list.getByTestId(`function-option-assistant-${tutor.id}`).getByRole('checkbox').check();
  await expect(list.getByTestId('functions-summary')).toContainText('2 functions: Weather, Statistics tutor');
  await expect(page.getByTestId('functions-section').locator('summary').first()).toContainText('2 chosen');
  await check(page);
  await shot(page, 'functions');

  await page.getByTestId('save-btn').click();
  await expect(page.locator('.success-message')).toBeVisible();
  const { metadata } = await api.get(`/api/v1/assistants/${id}`);
  expect(metadata.functions).toEqual([
    { type: 'weather', units: 'imperial' },
    { type: 'assistant', assistant_id: tutor.id },
  ]);
});

test('a classic assistant is converted after a look at the diff; what stands in the way is told', async ({
  page,
  api,
}) => {
  const make = (prompt_template: string): Promise<any> =>
    api.post('/api/v1/assistants', {
      name: 'Old hand',
      prompt_template,
      metadata: { rag_processor: 'rubric_rag', rubric_id: null },
    });
  const refused = await make('{context} {rubric} {user_input}');
  await page.goto(`/assistants/${refused.id}`);
  await page.getByTestId('convert-btn').click();
  await expect(page.getByTestId('convert-status')).toHaveAttribute('data-status', 'refused');
  await expect(page.getByTestId('convert-problems')).toContainText('{rubric}');
  await expect(page.getByTestId('confirm-convert')).toBeDisabled();
  await check(page);

  const { id } = await make('{context} {user_input}');
  await page.goto(`/assistants/${id}`);
  await page.getByTestId('convert-btn').click();
  await expect(page.getByTestId('convert-status')).toHaveAttribute('data-status', 'ready');
  await expect(page.getByTestId('convert-dialog').getByTestId('diff').first()).toContainText('{1_rubric} {user_input}');
  await check(page);
  await shot(page, 'convert-dialog');
  await page.getByTestId('confirm-convert').click();
  await expect(page).toHaveURL(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('tool-card')).toContainText('{1_rubric}');
});

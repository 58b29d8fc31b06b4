import type { JsonObject } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import type { FunctionPlugin } from './contract';
import { FunctionCatalogue } from './tool-catalogue';
import { FunctionOffers } from './function-offers.service';
import { fakeTool } from './testing/call';
import { functionContext } from './testing/function-call';

/** Offers what `offer` gives; its configs may have a name and refer to an assistant. */
function offersOf(offer: FunctionPlugin['offer'], config: JsonObject) {
  const properties = { name: { type: 'string' }, assistant: { type: 'integer', 'x-reference': 'assistant' } };
  const { definition } = fakeTool(async () => ({ content: '', sources: [], confidence: null }), {
    config_schema: { type: 'object', properties },
  });
  const plugin: FunctionPlugin = { definition, offer, call: async () => ({ content: '' }) };
  const entry = { index: 0, type: 'fake', config };
  return new FunctionOffers(new FunctionCatalogue([plugin])).offer([entry], functionContext());
}

describe('a function that offers nothing', () => {
  it.each<[string, JsonObject, string]>([
    ['by its label', { name: ' Course search ', assistant: 7 }, 'The function fake "Course search" offers nothing'],
    ['by what it refers to', { name: ' ', assistant: 7 }, 'The function fake "7" offers nothing'],
    ['by its kind where it has neither', {}, 'The function fake offers nothing'],
    ['by the first 100 characters of a long label', { name: 'x'.repeat(300) }, `"${'x'.repeat(100)}" offers nothing`],
  ])('is named %s', async (_, config, text) => {
    const { functions, warnings } = await offersOf(async () => [], config);
    expect(functions.isEmpty).toBe(true);
    expect(warnings).toEqual([{ code: 'function.unavailable', message: expect.stringMatching(`${text}$`) }]);
  });

  it('because it failed is told without its error', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const { warnings } = await offersOf(() => Promise.reject(new Error('key sk-secret')), {});
    expect(warnings).toEqual([{ code: 'function.unavailable', message: 'The function fake cannot be offered now' }]);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('sk-secret');
    warn.mockRestore();
  });
});

import { expect, it } from 'vitest';
import { definitionOf, type Recipe } from './recipes';

const recipe = {
  definition: {
    name: 'Lab',
    metadata: {
      tools: [{ plugin: 'simple_rag', config: { collections: [], top_k: 3 } }],
      functions: [{ type: 'knowledge_base', kb_id: null }],
    },
  },
  materials: [
    {
      key: 'course',
      fills: [
        { list: 'tools', index: 0, setting: 'collections', many: true },
        { list: 'functions', index: 0, setting: 'kb_id', many: false },
      ],
    },
  ],
} as unknown as Recipe;

it('puts a chosen material wherever the recipe reads it, and leaves the recipe as it is', () => {
  const before = structuredClone(recipe);
  expect(definitionOf(recipe, { course: 'kb-1' })).toEqual({
    name: 'Lab',
    metadata: {
      tools: [{ plugin: 'simple_rag', config: { collections: ['kb-1'], top_k: 3 } }],
      functions: [{ type: 'knowledge_base', kb_id: 'kb-1' }],
    },
  });
  expect(recipe).toEqual(before);
  expect(definitionOf(recipe, {})).toEqual(recipe.definition);
});

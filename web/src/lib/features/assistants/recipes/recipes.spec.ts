import { expect, it } from 'vitest';
import { definitionOf, questionsFor, type Recipe } from './recipes';

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
  expect(definitionOf(recipe, { course: 'kb-1' }, ['Why?'])).toEqual({
    name: 'Lab',
    metadata: {
      suggested_questions: ['Why?'],
      tools: [{ plugin: 'simple_rag', config: { collections: ['kb-1'], top_k: 3 } }],
      functions: [{ type: 'knowledge_base', kb_id: 'kb-1' }],
    },
  });
  expect(recipe).toEqual(before);
  expect(definitionOf(recipe, {}, []).metadata).toMatchObject(recipe.definition.metadata);
});

it('asks about titles in the material, and without one asks what fits any', () => {
  const topical = {
    questions: ['What is it about?'],
    topic: { material: 'course', questions: ['What about “{topic}”?', 'Why “{topic}”?'] },
  } as unknown as Recipe;
  expect(questionsFor(topical, ['Cells', 'Costs of $& and {topic}', 'Salt', 'Water'])).toEqual([
    'What about “Cells”?',
    'Why “Costs of $& and {topic}”?',
    'What about “Salt”?',
  ]);
  expect(questionsFor(topical, [])).toEqual(['What is it about?']);
  expect(questionsFor({ ...topical, topic: undefined }, ['Cells'])).toEqual(['What is it about?']);
});

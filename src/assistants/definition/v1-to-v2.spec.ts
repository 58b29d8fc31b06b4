import { growthOf, LINEAR_GROWTH } from '../../../test/support/cpu-time';
import { specifiedTools } from '../../../test/support/tool-vocabulary';
import type { ClassicDefinition, StepResult } from './metadata/document.types';
import { classicPath, numberProblems, rewriteClassicTemplate, stepV1ToV2 } from './migrate-definition';
import { stepV2ToV3 } from './v2-to-v3.step';

const CLASSIC: ClassicDefinition = {
  metadata: { course: 1, rag_processor: 'rubric_rag', rubric_id: 4, file_path: 'old.md', tools: ['weather'] },
  template: '{context} {user_input} {k}',
  ragCollections: ['kb'],
  ragTopK: 4,
};

describe('version 1 to 2', () => {
  let stepped: StepResult;
  beforeEach(() => {
    stepped = stepV1ToV2(CLASSIC, specifiedTools);
  });

  it('writes a document of version 2 and keeps unknown keys', () => {
    expect(stepped).toEqual({
      ok: true,
      definition: {
        metadata: {
          _format_version: 2,
          course: 1,
          tools: [
            {
              type: 'rubric',
              enabled: true,
              config: { rubric_id: 4, format: 'markdown', for_evaluation: true, sources_in_prompt: 'lamb' },
            },
          ],
          functions: ['weather'],
        },
        template: '{rubric} {user_input} {k}',
      },
      notes: [],
    });
  });

  it('changes nothing of its own result, and neither does the next step of its own', () => {
    if (!stepped.ok) throw new Error('refused');
    const again = stepV1ToV2({ ...CLASSIC, ...stepped.definition }, specifiedTools);
    expect(again).toEqual(stepped);
    const third = stepV2ToV3(stepped.definition, specifiedTools);
    expect(third).not.toEqual(stepped.definition);
    expect(stepV2ToV3(third, specifiedTools)).toBe(third);
    expect(stepV1ToV2({ ...CLASSIC, ...third }, specifiedTools)).toMatchObject({ definition: third });
  });

  it.each([
    ['metadata.tools[0].config.top_k', 'RAG_Top_k'],
    ['metadata.tools[0].config.collections[3]', 'RAG_collections'],
    ['metadata.tools[0].config.rubric_id', 'metadata.rubric_id'],
    ['metadata.tools[0].config.constructor', 'metadata.tools[0].config.constructor'],
    ['metadata.orchestrator', 'metadata.orchestrator'],
  ])('knows %s of version 2 as %s', (path, classic) => expect(classicPath(path)).toBe(classic));
});

describe('a classic template', () => {
  const rewritten = (template: string, to: string | null) =>
    rewriteClassicTemplate(template, new Map([['context', to]]));

  it.each([
    ['a {context} b', 'a {file} b', 'a  b'],
    ['a{context}b', 'a\n{file}b', 'a\nb'],
    ['{context}b', '{file}b', 'b'],
    ['{context}', '{file}', '\n'],
    ['', '', ''],
    ['a{context}', 'a{file}', 'a'],
    ['a{context}{user_input}b', 'a{file}{user_input}b', 'a{user_input}b'],
    ['a{context}{context}b', 'a\n{file}\n{file}b', 'a\n\nb'],
    ['{{context}}', '{\n{file}}', '{\n}'],
    ['{file} {moodle_user}', '{file} {moodle_user}', '{file} {moodle_user}'],
  ])('%j', (template, renamed, removed) => {
    expect(rewritten(template, 'file')).toBe(renamed);
    expect(rewritten(template, null)).toBe(removed);
  });

  it('of a hundred thousand slots is rewritten at once', () => {
    expect(rewritten('{context}'.repeat(100_000), null)).toBe('\n');
    expect(growthOf((length) => rewritten('{context}'.repeat(length), null), 100_000)).toBeLessThan(LINEAR_GROWTH);
  });
});

describe('numbers of a stored document', () => {
  it.each([
    '{"a": 9007199254740992, "b": 5.0, "c": 1e3, "d": -0.1234567890123456789}',
    '{"id": "12345678901234567890 \\" 1e999", "key 12345678901234567": 1}',
    '',
  ])('%s are kept', (text) => expect(numberProblems(text)).toEqual([]));

  it.each(['{"a": 9007199254740993}', '{"a": [-12345678901234567890]}', '{"a": 1e400}'])('%s are not', (text) =>
    expect(numberProblems(text)).toMatchObject([{ path: 'metadata', code: 'metadata.invalid' }]),
  );
});

import { specifiedTools } from '../../../test/support/tool-vocabulary';
import type { VersionedDefinition } from './metadata/document.types';
import { normaliseDocument } from './normalise';
import { stepV2ToV3 } from './v2-to-v3.step';

const V2 = {
  _format_version: 2,
  course: { id: 1 },
  connector: 'openai',
  llm: 'm',
  tools: [
    { type: 'simple_rag', enabled: false, config: { collections: ['a'] }, note: 'kept' },
    { type: 'rubric', config: { rubric_id: 4 } },
    'weather',
  ],
};
const TEMPLATE = 'X{context}Y{rubric}Z{user_input}{else}';

describe('version 2 to 3', () => {
  let stepped: VersionedDefinition;
  beforeEach(() => {
    stepped = stepV2ToV3({ metadata: V2, template: TEMPLATE }, specifiedTools);
  });

  it('numbers document and template together and keeps unknown keys', () => {
    expect(stepped).toEqual({
      metadata: {
        _format_version: 3,
        assistant_type: 'multi_tool',
        course: { id: 1 },
        connector: 'openai',
        llm: 'm',
        orchestrator: 'sequential',
        tools: [
          {
            plugin: 'simple_rag',
            placeholder: '1_context',
            enabled: false,
            config: { collections: ['a'] },
            note: 'kept',
          },
          { plugin: 'rubric_rag', placeholder: '2_rubric', enabled: true, config: { rubric_id: 4 } },
        ],
        functions: ['weather'],
      },
      template: 'X{1_context}Y{2_rubric}Z{user_input}{else}',
    });
  });

  it('runs as the stored document did', () => {
    const rest = { systemPrompt: '', ragCollections: [], ragTopK: 3 };
    const before = normaliseDocument({ ...rest, metadata: V2, promptTemplate: TEMPLATE }, specifiedTools);
    const after = normaliseDocument(
      { ...rest, metadata: stepped.metadata, promptTemplate: stepped.template },
      specifiedTools,
    );
    expect({ ...after, formatVersion: 2, raw: V2 }).toEqual(before);
  });
});

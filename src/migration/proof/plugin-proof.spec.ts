import { readPlugin } from '@bellwether/plugin';
import { renderer, subjectOf } from '../../../test/support/migrator';
import { RECORDED_INPUTS } from './recorded-inputs';

const run = jest.fn();
const TOOL = {
  definition: {
    name: 'tide',
    aliases: [],
    display_name: 'Tide',
    description: 'Tells the tide.',
    placeholder: 'tide',
    category: 'nature',
    version: '1.0.0',
    kind: 'pipeline',
    icon: 'wrench',
    allow_multiple: true,
    config_schema: { type: 'object', properties: { harbour: { type: 'string' } } },
    parameters: {},
    examples: [],
    capabilities: [],
    limitations: [],
    cost: { unit: 'none', estimate: 0 },
  },
  run,
};

it('shows the settings of a tool of a plugin, which may ask other servers, instead of running it', async () => {
  const { plugin, problems } = readPlugin({ tools: [TOOL] });
  expect(problems).toEqual([]);
  const metadata = {
    version: 3,
    assistant_type: 'multi_tool',
    orchestrator: 'sequential',
    connector: 'openai',
    llm: '',
    tools: [{ plugin: 'tide', placeholder: '1_tide', enabled: true, config: { harbour: 'Calp' } }],
  };
  const subject = subjectOf({
    type: 'multi_tool',
    promptTemplate: '{1_tide} {user_input}',
    metadata: JSON.stringify(metadata),
  });
  const [input] = RECORDED_INPUTS;
  const rendering = await renderer([plugin]).open(subject).render(input!);
  expect(rendering?.prompt).toContain('{"harbour":"Calp"}');
  expect(run).not.toHaveBeenCalled();
});

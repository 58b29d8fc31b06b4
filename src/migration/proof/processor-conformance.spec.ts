import { promptProcessorChecks, ragProcessorChecks } from '@bellwether/plugin/conformance';
import { processorsOver } from '../../processors';
import { PROOF_DOUBLES } from './proof-doubles';

const SETTINGS = { collections: ['biology'], rubricId: 'essay', filePath: 'notes.md' };
const catalogue = processorsOver(PROOF_DOUBLES);

/** Over the doubles of proofs, which every processor needs anyway. */
describe.each(catalogue.ragDefinitions().map(({ name }) => name))('the RAG processor %s', (name) => {
  const processor = catalogue.findRag(name)!;
  for (const { name: obligation, check } of ragProcessorChecks(processor, { settings: SETTINGS }))
    it(obligation, check);
});

describe.each(catalogue.promptDefinitions().map(({ name }) => name))('the prompt processor %s', (name) => {
  const processor = catalogue.findPrompt(name)!;
  for (const { name: obligation, check } of promptProcessorChecks(processor)) it(obligation, check);
});

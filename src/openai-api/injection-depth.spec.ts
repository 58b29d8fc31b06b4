import 'reflect-metadata';
import { INJECTABLE_WATERMARK, PARAMTYPES_METADATA } from '@nestjs/common/constants';
import { AssistantEditor, DraftAssistants } from '../assistants';
import { OpenAiController } from './openai.controller';

/** The longest chain of constructors that answers a question. Lower it when it gets shorter; never raise it. */
const DEEPEST = 12;

type Constructor = abstract new (...args: never[]) => unknown;

const dependenciesOf = (of: Constructor): readonly Constructor[] =>
  ((Reflect.getMetadata(PARAMTYPES_METADATA, of) ?? []) as readonly (Constructor | undefined)[]).filter(
    (each): each is Constructor =>
      each !== undefined && Reflect.hasMetadata(INJECTABLE_WATERMARK, each) && each.prototype !== undefined,
  );

function chainFrom(of: Constructor, known: Map<Constructor, readonly Constructor[]>): readonly Constructor[] {
  const found = known.get(of);
  if (found !== undefined) return found;
  known.set(of, []);
  const chains = dependenciesOf(of).map((each) => chainFrom(each, known));
  const longest = chains.reduce((one, other) => (other.length > one.length ? other : one), []);
  const chain = [of, ...longest];
  known.set(of, chain);
  return chain;
}

describe('the providers behind POST /v1/chat/completions', () => {
  const known = new Map<Constructor, readonly Constructor[]>();
  const chain = chainFrom(OpenAiController, known).map(({ name }) => name);

  it('form no chain of constructors that is longer than the limit', () => {
    expect(chain.slice(0, 3)).toEqual(['OpenAiController', 'CompletionsService', expect.any(String)]);
    expect({ depth: chain.length, chain }).toEqual({ depth: DEEPEST, chain });
  });

  it('do not contain what saves an assistant', () => {
    const namesIn = (map: ReadonlyMap<Constructor, unknown>): string[] => [...map.keys()].map(({ name }) => name);
    const saving = new Map<Constructor, readonly Constructor[]>();
    chainFrom(AssistantEditor, saving);
    // The validator is private to its module, and known by its name alone.
    expect(namesIn(saving)).toContain('SaveValidator');
    for (const saver of [AssistantEditor.name, DraftAssistants.name, 'SaveValidator'])
      expect(namesIn(known)).not.toContain(saver);
  });
});

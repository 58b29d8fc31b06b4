import type { PipelineTool, ToolCatalogue, ToolDefinition, ToolRole, ToolStatistics, ToolStats } from '../../tools';

/** One of the assistant's tools with everything that the planner knows of it before a question is asked. */
export interface PlannableTool {
  readonly tool: PipelineTool;
  readonly definition: ToolDefinition;
  readonly role: ToolRole;
  /** The tool's text with the entry's settings, for ranking only: neither callers nor text models see the settings. */
  readonly text: ToolText;
  readonly profile: ToolProfile;
  /** Milliseconds that the tool itself asks for; null where it does not. */
  readonly timeoutMs: number | null;
}

export interface ToolFacts extends PlannableTool {
  /** Statistics of the organization; null before the first call. */
  readonly stats: ToolStats | null;
}

/** Leaves out unknown plugins, whose steps would fail. */
export const plannableTools = (
  tools: readonly PipelineTool[],
  catalogue: Pick<ToolCatalogue, 'find'>,
): readonly PlannableTool[] =>
  tools.flatMap((tool): PlannableTool[] => {
    const found = catalogue.find(tool.plugin);
    if (found === undefined) return [];
    const { definition, timeoutMs = null } = found;
    const text = textOf(tool, definition);
    return [{ tool, definition, role: definition.role ?? 'other', text, profile: profileOf(text), timeoutMs }];
  });

export const factsOf = (
  tools: readonly PlannableTool[],
  organizationId: string,
  statistics: Pick<ToolStatistics, 'of'>,
): readonly ToolFacts[] =>
  tools.map((tool) => ({ ...tool, stats: statistics.of(organizationId, tool.definition.name) }));

/** With words from the settings: names of collections, the file, instructions; and the author's own example questions. */
function textOf({ config, label = '', example_questions = [] }: PipelineTool, definition: ToolDefinition): ToolText {
  const settings = Object.values(config)
    .flat()
    .filter((value): value is string => typeof value === 'string' && value.length <= 500);
  return {
    name: `${definition.name} ${definition.display_name} ${label}`.trim(),
    description: [definition.description, ...settings.filter((value) => !/^[\da-f-]{36}$/i.test(value))].join(' '),
    examples: [...example_questions, ...definition.examples.map(({ query }) => query)],
    translations: Object.values(definition.texts ?? {}).map(({ name, about }) => ({ name, description: about })),
  };
}

interface ToolParameter {
  readonly name: string;
  readonly description: string;
  readonly type?: string;
  readonly required?: boolean;
}

/** The texts by which a tool is chosen. */
export interface ToolText {
  readonly name: string;
  readonly description: string;
  /** Values that the question has to give; absent for a tool with settings only. */
  readonly parameters?: readonly ToolParameter[];
  /** Questions that the tool is for. */
  readonly examples?: readonly string[];
  /** Name and description in other languages. */
  readonly translations?: readonly Pick<ToolText, 'name' | 'description'>[];
}

/** Stop words, which say nothing about the topic: English, Spanish, Catalan, Basque. */
const STOP_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
  cannot could did do does doing don down during each else etc ever every few for from further had has have having he
  her here hers herself hi hey hello him his how however i if in into is isn it its itself just ll let lot many may me
  might more most much must my myself no nor not now of off ok okay on once one only onto or other our ours out over own
  per please quite rather re really s same shall she should since so some such t than thank thanks that the their them
  then there these they this those through thus to too under until up upon us various very via was we were what when
  where whether which while who whom whose why will with within without would yes yet you your yours yourself ve im ive
  el la los las un una unos unas y o de del al que en es por para con se su sus lo como mas pero sus le ya este esta si
  porque cuando muy sin sobre tambien me hay donde quien desde nos cual cuales son ser puede puedo quiero
  els les uns unes i amb per perque com mes pero seu seva aquest aquesta quan molt sense sobre tambe hi on qui des ens quin
  quina quins quines son pot puc vull eta da du ez bat nola zer non nor ere baina edo`.split(/\s+/),
);

/** Words of most descriptions and requests. They get a low weight. */
const COMMON_WORDS = new Set(
  `get find give given gives giving show tell provide provides provided providing help helps need needs want wants like
  make makes making use uses using used user users tool tools function functions app application service services
  platform based specific specified detail detailed details information info data content list lists return returns
  retrieve retrieves fetch look looking know latest new current recent recently best good better great interest
  interested interesting able available allow allows access ask assist assistance assistant enable enables ensure
  experience feature features offer offers offering option options perform personalized powerful powered quickly easy
  easily real related request result results set simple simply start take time type types way work working world
  enhance explore discover engage interact interactive intelligent advanced comprehensive wide range variety include
  includes including name value values number numbers parameter optional default format string integer boolean true
  false example examples question questions answer answers search searches searching create creates creating generate
  generates generating check some thing things something anything everything particular certain kind different
  multiple possible support supports manage handle process system online ai gpt chat bot plugin api
  necesito ayuda quiero buscar encontrar informacion dame cerca necessito ajuda cercar trobar informacio`.split(/\s+/),
);

const SUFFIXES: readonly (readonly [suffix: string, least: number])[] = [
  ['izations', 4],
  ['ization', 4],
  ['ational', 4],
  ['fulness', 4],
  ['ations', 4],
  ['ators', 4],
  ['ation', 4],
  ['ating', 4],
  ['ator', 4],
  ['ated', 4],
  ['ates', 4],
  ['ings', 4],
  ['ments', 4],
  ['ment', 4],
  ['ness', 4],
  ['ions', 4],
  ['ists', 4],
  ['ies', 3],
  ['ing', 3],
  ['ion', 4],
  ['ers', 3],
  ['ors', 4],
  ['ist', 4],
  ['ate', 4],
  ['ive', 4],
  ['ize', 4],
  ['ise', 4],
  ['ous', 4],
  ['ful', 3],
  ['est', 4],
  ['al', 4],
  ['ly', 3],
  ['ed', 3],
  ['er', 3],
  ['or', 4],
  ['es', 3],
  ['ic', 4],
  ['y', 3],
  ['s', 3],
  ['e', 3],
];

const stems = new Map<string, string>();
const MAX_STEMS = 20_000;

/** A light stem: the word without at most two endings. For comparing only: it need not be a word. */
function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const made = undouble(strip(strip(word)));
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(word, made);
  return made;
}

function strip(word: string): string {
  if (word.endsWith('ss') || /\d/.test(word)) return word;
  for (const [suffix, least] of SUFFIXES) {
    if (word.length >= suffix.length + least && word.endsWith(suffix)) return word.slice(0, -suffix.length);
  }
  return word;
}

const undouble = (word: string): string =>
  /([bdfgklmnprt])\1$/.test(word) && word.length > 4 ? word.slice(0, -1) : word;

/** Lower-case words without accents; `camelCase`, `snake_case` and `HTTPServer2` are split into their words. */
export function wordsOf(text: string): string[] {
  return (
    text
      .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{L}+|\d+/gu) ?? []
  );
}

export interface Term {
  readonly word: string;
  readonly stem: string;
  /** How much the word says about the topic, 0..1. */
  readonly weight: number;
}

const COMMON_WEIGHT = 0.2;

/** The words of a text without stop words, in order, repetitions included. */
export function termsOf(text: string): Term[] {
  return wordsOf(text)
    .filter((word) => !STOP_WORDS.has(word) && (word.length > 1 || /\p{Script=Han}/u.test(word)))
    .map((word) => ({ word, stem: stem(word), weight: weightOf(word) }));
}

const weightOf = (word: string): number => (/^\d+$/.test(word) ? 0.1 : COMMON_WORDS.has(word) ? COMMON_WEIGHT : 1);

/** Weights of a tool's texts, chosen on half of a public collection (docs/guide/planning.md says which and how). */
const NAME = 1;
const DESCRIPTION = 1;
const PARAMETERS = 0.4;
const EXAMPLES = 0.5;
/** Weight of a question's word inside a compound name such as `carpark`. */
const INSIDE_NAME = 0.5;
/** Weight of a similar stem: one with the same beginning, as `transport` and `transporter`. */
const BEGINS_ALIKE = 0.4;
const ALIKE_CHARS = 4;
const ALIKE_SHARE = 0.7;
const ABOUT_ANYTHING = 'search web internet inform knowledg fact anyth quest answ onlin'.split(' ');

/** The words of a tool's texts for ranking; made once for each tool of an assistant. */
export interface ToolProfile {
  readonly frequency: ReadonlyMap<string, number>;
  /** Stems by their first letters. */
  readonly beginnings: ReadonlyMap<string, readonly string[]>;
  readonly length: number;
  readonly letters: string;
  /** 0..1: how much the tool's texts describe a tool for any question, such as a web search. */
  readonly anything: number;
}

export function profileOf(tool: ToolText): ToolProfile {
  const frequency = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number): void => {
    for (const term of termsOf(text)) {
      frequency.set(term.stem, (frequency.get(term.stem) ?? 0) + weight);
      length += weight * term.weight;
    }
  };
  add(tool.name, NAME);
  add(tool.description, DESCRIPTION);
  for (const { name, description } of tool.translations ?? []) add(`${name} ${description}`, DESCRIPTION);
  for (const { name, description } of tool.parameters ?? []) add(`${name} ${description}`, PARAMETERS);
  for (const example of tool.examples ?? []) add(example, EXAMPLES);
  const beginnings = new Map<string, string[]>();
  for (const stem of frequency.keys()) {
    const start = stem.slice(0, ALIKE_CHARS);
    beginnings.set(start, [...(beginnings.get(start) ?? []), stem]);
  }
  const anything = ABOUT_ANYTHING.filter((word) => frequency.has(word)).length;
  const letters = tool.name.toLowerCase().replace(/[^a-z]/g, '');
  return { frequency, beginnings, length, letters, anything: anything / (anything + 1) };
}

/** Frequency of the word in the tool's texts, weighted by text; lower when they have only a similar word. */
export function timesIn(profile: ToolProfile, term: Term): number {
  const times = profile.frequency.get(term.stem);
  if (times !== undefined) return times;
  return Math.max(insideName(term, profile), similar(term, profile));
}

function insideName({ word, stem }: Term, { letters }: ToolProfile): number {
  if (word.length < 4) return 0;
  return letters.includes(word) || (stem.length >= 4 && letters.includes(stem)) ? INSIDE_NAME : 0;
}

function similar({ stem }: Term, { beginnings, frequency }: ToolProfile): number {
  if (stem.length < ALIKE_CHARS) return 0;
  const alike = (beginnings.get(stem.slice(0, ALIKE_CHARS)) ?? []).filter((other) => beginAlike(stem, other));
  return BEGINS_ALIKE * Math.max(0, ...alike.map((other) => frequency.get(other) ?? 0));
}

function beginAlike(one: string, other: string): boolean {
  let at = ALIKE_CHARS;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at >= ALIKE_SHARE * Math.max(one.length, other.length);
}

import { areEnough, QuestionCount } from './mask-people';
import type { DistinctQuestion } from './distinct-questions';
import type { InsightsDto, QuestionGroupDto } from './insights.dto';
import { rarities } from './group-by-words';

const MOST_GROUPS = 30;
const MOST_WORDS = 5;

export type TellableGroups = Pick<InsightsDto, 'groups' | 'hidden'>;

/** Questions and their stems at the same index, and the groups as indexes. */
export interface GroupedQuestions {
  readonly questions: readonly DistinctQuestion[];
  readonly stems: readonly (readonly string[])[];
  readonly groups: readonly (readonly number[])[];
  /** The form of a stem that these questions have. */
  readonly formOf: (stem: string, texts: readonly string[]) => string;
}

/** Groups of enough people, the largest first. */
export function tellableGroups({ questions, stems, groups, formOf }: GroupedQuestions): TellableGroups {
  const weights = rarities(stems);
  const hidden = new QuestionCount();
  let hiddenGroups = 0;
  const told: QuestionGroupDto[] = [];
  for (const members of groups) {
    const found = members.flatMap((at) => questions[at] ?? []);
    const asked = sumOf(found.map((each) => each.asked));
    if (areEnough(asked.people)) {
      told.push({ ...figuresOf(found, asked), words: wordsOf(members, { questions, stems, formOf }, weights) });
      continue;
    }
    hiddenGroups++;
    hidden.questions += asked.questions;
    for (const person of asked.people) hidden.people.add(person);
  }
  told.sort((one, other) => other.questions - one.questions);
  return {
    groups: told.slice(0, MOST_GROUPS),
    hidden: { groups: hidden.isTold ? hiddenGroups : null, questions: hidden.told },
  };
}

function figuresOf(found: readonly DistinctQuestion[], asked: QuestionCount): Omit<QuestionGroupDto, 'words'> {
  return {
    question: found[0]?.text ?? '',
    questions: asked.questions,
    people: asked.people.size,
    missed: sumOf(found.map(({ missed }) => missed)).told,
    up: sumOf(found.map(({ up }) => up)).told,
    down: sumOf(found.map(({ down }) => down)).told,
  };
}

function sumOf(counts: readonly QuestionCount[]): QuestionCount {
  const sum = new QuestionCount();
  for (const { questions, people } of counts) {
    sum.questions += questions;
    for (const person of people) sum.people.add(person);
  }
  return sum;
}

/** The rare words that most of these people used. */
function wordsOf(
  members: readonly number[],
  { questions, stems, formOf }: Pick<GroupedQuestions, 'questions' | 'stems' | 'formOf'>,
  weights: ReadonlyMap<string, number>,
): string[] {
  const scores = new Map<string, number>();
  const texts = members.flatMap((at) => questions[at]?.text ?? []);
  for (const at of members) {
    const people = questions[at]?.asked.people.size ?? 0;
    for (const stem of stems[at] ?? []) {
      scores.set(stem, (scores.get(stem) ?? 0) + people * (weights.get(stem) ?? 0));
    }
  }
  return [...scores]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_WORDS)
    .map(([stem]) => formOf(stem, texts));
}

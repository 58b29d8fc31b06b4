import type { RubricCriterion, RubricDocument, RubricLevel, ScoringType } from './rubric.types';

/** Criteria sorted by `order`, or by position without it. */
export function orderedCriteria(rubric: RubricDocument): RubricCriterion[] {
  return rubric.criteria
    .map((criterion, index) => ({ criterion, key: criterion.order ?? index }))
    .sort((a, b) => a.key - b.key)
    .map(({ criterion }) => criterion);
}

/** Best level first. */
export const levelsBestFirst = (criterion: RubricCriterion): RubricLevel[] =>
  [...criterion.levels].sort((a, b) => b.score - a.score);

export interface CriterionShare {
  readonly criterion: RubricCriterion;
  readonly levels: readonly RubricLevel[];
  readonly bestScore: number;
  /** Part of the final score that this criterion decides, 0..1. */
  readonly share: number;
}

/** Weights relative to their sum, which need not be 100. If all are 0, they count as equal. */
export function criterionShares(rubric: RubricDocument): CriterionShare[] {
  const criteria = orderedCriteria(rubric);
  const sum = criteria.reduce((total, { weight }) => total + weight, 0);
  return criteria.map((criterion) => {
    const levels = levelsBestFirst(criterion);
    return {
      criterion,
      levels,
      bestScore: levels[0]?.score ?? 0,
      share: sum > 0 ? criterion.weight / sum : 1 / criteria.length,
    };
  });
}

const HOW_TO_JUDGE: Readonly<Record<ScoringType, string>> = {
  points: 'For each criterion choose the one level that describes the work best and take its score.',
  percentage: 'For each criterion choose the one level that describes the work best; the result reads as a percentage.',
  holistic: 'Judge the work as a whole first, then choose for each criterion the level that fits this judgement.',
  'single-point':
    'For each criterion decide whether the work falls short of, meets or exceeds the standard described, and take the score of that level.',
  checklist: 'For each criterion decide which level is met, usually fulfilled or not, and take its score.',
};

export const howToJudge = (rubric: RubricDocument): string => HOW_TO_JUDGE[rubric.scoringType];

/** At most two decimals, without trailing zeros. */
export const shortNumber = (value: number): string => String(Math.round(value * 100) / 100);

/**
 * Formula for the points of a criterion, relative to its best score. `levelScore` is the placeholder for the level's score.
 * Without a positive best score a criterion has no points.
 */
export const pointsFormula = ({ bestScore, share }: CriterionShare, maxScore: number, levelScore: string): string =>
  bestScore > 0 ? `${levelScore} ÷ ${shortNumber(bestScore)} × ${shortNumber(share * maxScore)}` : '0';

export interface EvaluationSection {
  readonly title: string;
  readonly text: string;
  /** One line per criterion where the section has them. */
  readonly lines: readonly string[];
}

/** Instructions for a model to evaluate a work with a rubric. */
export interface EvaluationGuide {
  readonly task: string;
  readonly steps: readonly string[];
  readonly answer: string;
  readonly sections: readonly EvaluationSection[];
}

const scoreLine = ({ criterion, bestScore }: CriterionShare): string =>
  `${criterion.name}: [level], [score] of ${shortNumber(bestScore)}. [Justification]`;

/**
 * Rubric assistants of LAMB need this guide: their prompts do not describe steps, justifications or the form of the answer.
 * The parts and their order are LAMB's, the wording is not.
 */
export function evaluationGuide(rubric: RubricDocument): EvaluationGuide {
  const shares = criterionShares(rubric);
  const { maxScore } = rubric;
  return {
    task: 'Evaluate the submitted work with this rubric, and with nothing else.',
    steps: [
      'Read the whole work before you judge any part of it.',
      howToJudge(rubric),
      'Justify every choice: name what in the work led to this level.',
      'Compute the points of every criterion and add them up. Show the calculation.',
      'Close with overall feedback that helps the author to improve the work.',
    ],
    answer: 'Write these three parts, in this order, and leave none of them out:',
    sections: [
      {
        title: 'Scores by criterion',
        text: 'One entry for every criterion, with a justification of its own in one to three sentences that refer to the work:',
        lines: shares.map(scoreLine),
      },
      {
        title: 'Calculation',
        text: 'One line for every criterion, then the sum:',
        lines: [
          ...shares.map((share) => `${share.criterion.name}: ${pointsFormula(share, maxScore, '[score]')} = [points]`),
          `Total: [sum of the points] of ${shortNumber(maxScore)}`,
        ],
      },
      {
        title: 'Overall feedback',
        text: 'What the work does well, what matters most to improve, and a next step.',
        lines: [],
      },
    ],
  };
}

/** A heading or label is one line. */
const line = (text: string): string => text.replace(/(?<!\s)[^\S\r\n]*[\r\n]\s*/g, ' ').trim();

/** Escapes `|` and line breaks, which end a table cell (GFM §4.10). */
const cell = (text: string): string =>
  text
    .trim()
    .replaceAll('|', '\\|')
    .replace(/\r\n|\r|\n/g, '<br>');

const facts = (rubric: RubricDocument): string[] =>
  (
    [
      ['Subject', rubric.metadata['subject']],
      ['Grade level', rubric.metadata['gradeLevel']],
    ] as const
  ).flatMap(([label, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [`**${label}:** ${line(value)}`] : [],
  );

const weightOf = ({ criterion, share }: CriterionShare): string =>
  `**Weight:** ${shortNumber(criterion.weight)} (${shortNumber(share * 100)} % of the final score)`;

function criterionSection(each: CriterionShare, index: number): string {
  const rows = each.levels.map(
    ({ label, score, description }) => `| ${cell(label)} | ${shortNumber(score)} | ${cell(description)} |`,
  );
  return [
    `### ${index + 1}. ${line(each.criterion.name)}`,
    weightOf(each),
    each.criterion.description.trim(),
    ['| Level | Score | What it looks like |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

function scoringSection(rubric: RubricDocument, shares: readonly CriterionShare[]): string {
  const max = shortNumber(rubric.maxScore);
  const parts = shares.map(
    (share) => `- ${line(share.criterion.name)}: ${pointsFormula(share, rubric.maxScore, 'level score')}`,
  );
  return [
    '## How the score is computed',
    howToJudge(rubric),
    [
      `Each criterion adds its level score, divided by the best score of that criterion, times its part of the ${max} points:`,
      ...parts,
    ].join('\n'),
    `The final score is the sum of these, from 0 to ${max} (scoring type: ${rubric.scoringType}).`,
  ].join('\n\n');
}

const taskSection = ({ task, steps }: EvaluationGuide): string =>
  ['## Your task', task, steps.map((step, index) => `${index + 1}. ${step}`).join('\n')].join('\n\n');

const answerSection = ({ answer, sections }: EvaluationGuide): string =>
  [
    '## Your answer',
    answer,
    ...sections.flatMap(({ title, text, lines }, index) => [
      `### ${index + 1}. ${title}`,
      [text, ...lines.map((each) => `- ${line(each)}`)].join('\n'),
    ]),
  ].join('\n\n');

/**
 * The rubric as Markdown for a model: criteria, their levels best first, and the computation of the score. `forEvaluation` adds
 * the steps of the evaluation and the parts of the answer.
 */
export function rubricMarkdown(rubric: RubricDocument, forEvaluation = false): string {
  const shares = criterionShares(rubric);
  const description = rubric.description.trim();
  const guide = forEvaluation ? evaluationGuide(rubric) : null;
  return [
    `# ${line(rubric.title)}`,
    ...(description === '' ? [] : [description]),
    ...facts(rubric),
    ...(guide === null ? [] : [taskSection(guide)]),
    '## Criteria',
    ...shares.map(criterionSection),
    scoringSection(rubric, shares),
    ...(guide === null ? [] : [answerSection(guide)]),
  ].join('\n\n');
}

/** The rubric as JSON with an explanation of its scoring and, `forEvaluation`, of the task. */
export function rubricJson(rubric: RubricDocument, forEvaluation = false): string {
  const scoring = {
    scoring_type: rubric.scoringType,
    max_score: rubric.maxScore,
    how_to_judge: howToJudge(rubric),
    formula: 'final score = sum over criteria of (level score / best score of the criterion) * share * max_score',
    criteria: criterionShares(rubric).map(({ criterion, bestScore, share }) => ({
      id: criterion.id,
      name: criterion.name,
      weight: criterion.weight,
      share: Math.round(share * 10_000) / 10_000,
      best_score: bestScore,
    })),
  };
  const evaluation = forEvaluation ? { evaluation: evaluationGuide(rubric) } : {};
  return JSON.stringify({ rubric, scoring, ...evaluation }, null, 2);
}

import { type EvaluationGuide, evaluationGuide } from './rubric-evaluation';
import { criterionShares, type CriterionShare, howToJudge, pointsFormula, shortNumber } from './rubric-scoring';
import type { RubricDocument } from './rubric.types';

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

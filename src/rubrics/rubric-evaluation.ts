import { criterionShares, type CriterionShare, howToJudge, pointsFormula, shortNumber } from './rubric-scoring';
import type { RubricDocument } from './rubric.types';

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

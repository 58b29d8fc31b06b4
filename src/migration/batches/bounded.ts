import type { PromptDifference } from '../../assistants';
import type { Problem } from '../../kernel';

const MOST_PROBLEMS = 20;
const MOST_DIFFERENCES = 5;
const MOST_CHARACTERS = 500;

const short = (text: string): string => text.slice(0, MOST_CHARACTERS).toWellFormed();

/** A document of any size has a list of problems that people can read. */
export const boundedProblems = (problems: readonly Problem[]): Problem[] =>
  problems
    .slice(0, MOST_PROBLEMS)
    .map((problem) => ({ ...problem, path: short(problem.path), message: short(problem.message) }));

export const boundedDifferences = (differences: readonly PromptDifference[]): PromptDifference[] =>
  differences.slice(0, MOST_DIFFERENCES);

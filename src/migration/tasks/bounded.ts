import type { Problem } from '@bellwether/kernel';
import type { PromptDifference } from '../../assistants/definition';

const MOST_PROBLEMS = 20;
const MOST_DIFFERENCES = 5;
const MOST_CHARACTERS = 500;

const short = (text: string): string => text.slice(0, MOST_CHARACTERS).toWellFormed();

export const boundedProblems = (problems: readonly Problem[]): Problem[] =>
  problems
    .slice(0, MOST_PROBLEMS)
    .map((problem) => ({ ...problem, path: short(problem.path), message: short(problem.message) }));

export const boundedDifferences = (differences: readonly PromptDifference[]): PromptDifference[] =>
  differences.slice(0, MOST_DIFFERENCES);

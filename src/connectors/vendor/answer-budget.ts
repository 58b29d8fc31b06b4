import { truncated } from '../transport';

/** Limits the characters of one answer. */
export class AnswerBudget {
  constructor(private left: number) {}

  /** @throws AppError `upstream_truncated` */
  spend(chars: number): void {
    this.left -= chars;
    if (this.left < 0) throw truncated('The answer of the model vendor is too long');
  }
}

/** Characters that a model wrote. */
export const charsOf = (
  text: string,
  calls: readonly { readonly function: { readonly arguments: string } }[],
): number => calls.reduce((sum, call) => sum + call.function.arguments.length, text.length);

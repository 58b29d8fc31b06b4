import { type Awaitable, type Caller, after, invalid, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { exactModelId, modelNotFound, readModelName } from '../answering';
import { type AssistantReference, AssistantsService } from '../assistants';

/** Most assistants that a refusal names. */
const MOST_NAMED = 5;

/** Finds the assistant that a request names, and guesses nothing. */
@Injectable()
export class AssistantModels {
  constructor(private readonly assistants: AssistantsService) {}

  /** @throws {AppError} `model_not_found`, or `validation_failed` for a name of several assistants */
  idOf(caller: Caller, model: string): Awaitable<number> {
    const meant = readModelName(model);
    if (typeof meant === 'number') return meant;
    const among = async (): Promise<number> =>
      (await this.only(caller, meant, { path: 'model', text: model })) ?? refuse(model);
    const [first, another] = meant;
    if (first?.kind !== 'number' || another !== undefined) return among();
    return after(this.assistants.isOwnNumber(caller, first.number), (isOwn) => (isOwn ? first.number : among()));
  }

  /**
   * Assistant by its number, for LAMB's routes. @throws {AppError} `not_found`, or `validation_failed` for a number of
   * several assistants
   */
  async numbered(caller: Caller, number: number): Promise<number> {
    const subject = { path: 'assistant', text: String(number) };
    return existing(await this.only(caller, [{ kind: 'number', number }], subject), 'Assistant');
  }

  /** Assistant by the id of a route. @throws {AppError} as `AssistantsService.idHere` */
  idHere(caller: Caller, number: number): Promise<number> {
    return this.assistants.idHere(caller, number);
  }

  private async only(
    caller: Caller,
    references: readonly AssistantReference[],
    { path, text }: { readonly path: string; readonly text: string },
  ): Promise<number | null> {
    const ids = await this.assistants.idsMeant(caller, references);
    if (ids.length <= 1) return ids[0] ?? null;
    const found = await Promise.all(ids.slice(0, MOST_NAMED).map(async (id) => this.assistants.runnable(caller, id)));
    const names = found.map(({ id, name }) => `${exactModelId(id)} ("${name}")`);
    const rest = ids.length - found.length;
    const list = `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
    throw invalid([{ path, message: `${text} means ${ids.length} assistants: ${list}. Use one of these names.` }]);
  }
}

function refuse(model: string): never {
  throw modelNotFound(model);
}

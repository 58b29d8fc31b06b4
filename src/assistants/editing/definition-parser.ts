import { AppError, type Caller, invalid, isJsonObject, type Problem } from '@bellwether/kernel';
import { Injectable, type Type } from '@nestjs/common';
import { applyInput, type DefinitionInput, definitionOf, EMPTY_DEFINITION } from '../definition';
import { validationPipe } from '../../infrastructure/http';
import { ownerOf } from './assistant-editor';
import { AssistantLookup } from '../access/assistant-lookup';
import { CreateAssistantDto } from '../checks/validation.dto';
import { UpdateAssistantDto } from './assistant.dto';
import { CollectionBindings } from './assistant-records';
import { SaveValidator } from '../checks/save-validator';

const CHECKED = ['prompt_template', 'metadata', 'RAG_collections'] as const;

type Problems = (input: DefinitionInput) => Promise<readonly Problem[]>;

/**
 * Validates bodies of POST and PATCH. A refusal lists the problems of the body's shape and of its definition together.
 */
@Injectable()
export class DefinitionParser {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly validator: SaveValidator,
    private readonly bindings: CollectionBindings,
  ) {}

  /** @throws {AppError} `validation_failed` */
  toCreate(caller: Caller, body: unknown): Promise<CreateAssistantDto> {
    return read(CreateAssistantDto, body, (input) =>
      this.validator.problems(applyInput(EMPTY_DEFINITION, input), caller, null),
    );
  }

  /** @throws {AppError} as `toCreate`; `not_found` */
  toUpdate(caller: Caller, id: number, body: unknown): Promise<UpdateAssistantDto> {
    return read(UpdateAssistantDto, body, async (input) => {
      const { row } = await this.lookup.configurable(caller, id);
      const before = definitionOf(row);
      const after = await this.bindings.bind(row.organizationId, applyInput(before, input), before);
      return this.validator.problems(after, ownerOf(row), id, { by: caller, before });
    });
  }

  /** A whole definition that is not saved: absent members are empty. @throws {AppError} as `toUpdate` */
  async toDraft(caller: Caller, id: number | null, body: unknown): Promise<UpdateAssistantDto> {
    const row = id === null ? null : (await this.lookup.configurable(caller, id)).row;
    const owner = row === null ? caller : ownerOf(row);
    const before = row === null ? null : definitionOf(row);
    const edit = { by: caller, before };
    return read(UpdateAssistantDto, body, async (input) => {
      const given = applyInput(EMPTY_DEFINITION, input);
      return this.validator.problems(await this.bindings.bind(owner.organizationId, given, before), owner, id, edit);
    });
  }
}

async function read<Dto extends object>(metatype: Type<Dto>, body: unknown, problemsIn: Problems): Promise<Dto> {
  try {
    return (await validationPipe().transform(body, { type: 'body', metatype })) as Dto;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    const input = readable(body, error.problems);
    if (Object.keys(input).length === 0) throw error;
    throw invalid([...error.problems, ...(await problemsIn(input))], error.detail);
  }
}

/** The checked members with a valid shape. */
function readable(body: unknown, problems: readonly Problem[]): DefinitionInput {
  if (!isJsonObject(body)) return {};
  const refused = new Set(problems.map(({ path }) => path.split(/[.[]/, 1)[0]));
  const kept = CHECKED.filter((key) => Object.hasOwn(body, key) && !refused.has(key));
  return Object.fromEntries(kept.map((key) => [key, body[key] ?? undefined]));
}

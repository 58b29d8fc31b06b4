import type { PipeTransform } from '@nestjs/common';
import { notFound } from '../../kernel';

/** Largest id that the column can hold. */
const MAX_ID = 2_147_483_647;

/** Range of ids that the database accepts. */
export const isAssistantId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_ID;

/** A malformed id names an assistant that does not exist. */
export class AssistantIdPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    const id = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : NaN;
    if (!(id <= MAX_ID)) throw notFound('Assistant');
    return id;
  }
}

import { isAssistantId, notFound } from '@bellwether/kernel';
import type { PipeTransform } from '@nestjs/common';

/** A malformed id names an assistant that does not exist. */
export class AssistantIdPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    const id = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : NaN;
    if (!isAssistantId(id)) throw notFound('Assistant');
    return id;
  }
}

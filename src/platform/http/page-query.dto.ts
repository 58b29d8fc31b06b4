import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import type { PageRequest } from '../../kernel';

/** Query of every list. */
export class PageQueryDto {
  /** Most items to return. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  /** `next_cursor` of the page before. */
  @IsOptional()
  @IsString()
  @MaxLength(500)
  cursor?: string;
}

export const toPageRequest = ({ limit, cursor }: PageQueryDto): PageRequest => ({ limit, cursor: cursor ?? null });

import type { PageRequest } from '@bellwether/kernel';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeOmitted } from './properties';

/** Query of every list. */
export class PageQueryDto {
  /** Most items to return. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  /** `next_cursor` of the page before. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(500)
  cursor?: string;
}

export const toPageRequest = ({ limit, cursor }: PageQueryDto): PageRequest => ({ limit, cursor: cursor ?? null });

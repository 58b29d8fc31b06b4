import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

interface PageDto<Item> {
  readonly items: readonly Item[];
  next_cursor: string | null;
  total: number;
}

/** Base class for the DTO of a page: `class RunPageDto extends PageOf(RunDto) {}`. */
export function PageOf<Item>(item: Type<Item>): Type<PageDto<Item>> {
  class PageOfItems implements PageDto<Item> {
    @ApiProperty({ type: [item] })
    items!: readonly Item[];
    @ApiProperty({ type: String, nullable: true })
    next_cursor!: string | null;
    @ApiProperty({ type: Number })
    total!: number;
  }
  return PageOfItems;
}

import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsNumber,
  IsObject,
  IsPositive,
  Max,
  ValidateNested,
} from 'class-validator';
import { Fraction, IsPlainName, MayBeOmitted, Trimmed, FilledText, OneOf } from '../../../src/infrastructure/http';
import { READABLE_AS, type ReadableAs } from '../courses/activity.entity';

export class OfferedAssistantDto {
  id!: number;
  name!: string;
  description!: string;
}

export class SelectionDto {
  id!: string;
  /** Empty where the platform names no course. */
  @ApiProperty({ example: 'Statistics I' })
  course_title!: string;
  @ApiProperty({ example: 'Moodle of Example University' })
  platform!: string;
  /** Whether the platform takes several links at once. */
  multiple!: boolean;
  /** Whether a link may come with a column of grades. */
  line_items!: boolean;
  expires_at!: string;
  /** Published assistants that you may put into the course. */
  assistants!: OfferedAssistantDto[];
}

export class WantedLineItemDto {
  /** Points of the best grade. */
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @IsPositive()
  @Max(100_000)
  @Fraction({ example: 10 })
  maximum!: number;
}

export class ChosenLinkDto {
  @Trimmed()
  @IsPlainName()
  @FilledText(200, { example: 'Ask about statistics' })
  title!: string;

  /** One or several assistants behind the link. */
  @ApiProperty({ example: [12] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsInt({ each: true })
  assistants!: number[];

  @MayBeOmitted()
  @IsObject()
  @ValidateNested()
  @Type(() => WantedLineItemDto)
  line_item?: WantedLineItemDto;

  /** Teachers of the course read conversations whose students agreed, with names or pseudonyms. Absent: they do not. */
  @MayBeOmitted() @OneOf(READABLE_AS) readable_as?: ReadableAs;
}

export class ChosenContentDto {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => ChosenLinkDto)
  links!: ChosenLinkDto[];
}

export class SelectionAnswerDto {
  /** The browser posts the form field `JWT` to this address of the platform. */
  @ApiProperty({ example: 'https://moodle.example.edu/mod/lti/contentitem_return.php?course=2' })
  return_url!: string;
  jwt!: string;
}

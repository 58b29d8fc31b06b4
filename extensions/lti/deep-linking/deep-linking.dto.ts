import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsPositive,
  IsString,
  Max,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { IsPlainName, MayBeOmitted } from '../../../src/infrastructure/http';
import { READABLE_AS, type ReadableAs } from '../courses/activity.entity';

const trim = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);

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
  @ApiProperty({ example: 10 })
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @IsPositive()
  @Max(100_000)
  maximum!: number;
}

export class ChosenLinkDto {
  @ApiProperty({ example: 'Ask about statistics' })
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
  title!: string;

  /** One or several assistants behind the link. */
  @ApiProperty({ type: [Number], example: [12] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsInt({ each: true })
  assistants!: number[];

  @ApiProperty({ type: WantedLineItemDto, required: false })
  @MayBeOmitted()
  @IsObject()
  @ValidateNested()
  @Type(() => WantedLineItemDto)
  line_item?: WantedLineItemDto;

  /** Teachers of the course read conversations whose students agreed, with names or pseudonyms. Absent: they do not. */
  @ApiProperty({ enum: READABLE_AS, required: false })
  @MayBeOmitted()
  @IsIn(READABLE_AS)
  readable_as?: ReadableAs;
}

export class ChosenContentDto {
  @ApiProperty({ type: [ChosenLinkDto] })
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

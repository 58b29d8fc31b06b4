import type { AppError } from '@bellwether/kernel';
import { Type } from 'class-transformer';
import { IsIn, IsInt, Max, ValidateNested } from 'class-validator';
import { IsName } from './properties';
import { validationPipe } from './validation.pipe';

class Inner {
  @IsInt()
  @Max(7)
  days!: number;
}

class Body {
  @IsName()
  name!: string;

  @IsIn(['a', 'b'])
  kind!: string;

  @ValidateNested()
  @Type(() => Inner)
  inner!: Inner;
}

const problemsOf = async (body: object): Promise<readonly unknown[]> => {
  const refused: unknown = await validationPipe()
    .transform(body, { type: 'body', metatype: Body })
    .catch((error: unknown) => error);
  return (refused as AppError).problems.map(({ path, code, values }) => ({ path, code, ...values }));
};

describe('a body that fails its class', () => {
  it('gives each problem a code, with its limit', async () => {
    expect(await problemsOf({ name: 'x'.repeat(300), kind: 'c', inner: { days: 9 }, more: 1 })).toEqual([
      { path: 'more', code: 'value.unknown' },
      { path: 'name', code: 'value.max_length', limit: 200 },
      { path: 'kind', code: 'value.enum' },
      { path: 'inner.days', code: 'value.maximum', limit: 7 },
    ]);
  });

  it('tells of a value of another type no limits that it breaks as well', async () => {
    expect(await problemsOf({ name: 'x', kind: 'a', inner: { days: 'abc' } })).toEqual([
      { path: 'inner.days', code: 'value.type' },
    ]);
  });
});

import { Inject, Injectable } from '@nestjs/common';
import { constructPlugins } from './construct-plugins';

class Service {
  answer(): Promise<string> {
    return Promise.resolve('real');
  }
}

@Injectable()
class Plugin {
  constructor(
    @Inject('token') readonly named: Service,
    readonly typed: Service,
  ) {}
}

it('builds plugins over doubles, and over services that reject where there is none', async () => {
  const double = { answer: () => Promise.resolve('double') };
  const [plugin] = constructPlugins([Plugin], new Map<unknown, object>([['token', double]]));
  await expect(plugin?.named.answer()).resolves.toBe('double');
  await expect(plugin?.typed.answer()).rejects.toThrow('no service answers answer here');
});

import { isUuid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { FreshCache } from '../../src/infrastructure/cache';
import type { FramePermissions } from '../../src/web-ui';
import { FrameOriginRepository } from './frame-origin.repository';

/** A launch names the page that shows it; its chat may be framed seconds later. */
const MAX_AGE_MS = 5_000;
const MAX_ACTIVITIES = 5_000;

/** The sites that may frame the chat of an activity: its platform, and the page that showed the last launch. */
@Injectable()
export class LaunchFrames implements FramePermissions {
  private readonly known = new FreshCache<string, readonly string[]>({
    maxAge: MAX_AGE_MS,
    max: MAX_ACTIVITIES,
    load: (id) => this.origins.ofActivity(id),
  });

  constructor(private readonly origins: FrameOriginRepository) {}

  async ancestorsOf(activity: string): Promise<readonly string[]> {
    return isUuid(activity) ? this.known.get(activity) : [];
  }
}

/** @jsxImportSource hono/jsx */
import { Name } from '../../http/pages/name.tsx';
import type { HeldInBackups, HeldKind } from '../backups/people/read-held.ts';
import { readableMoment } from './rules.ts';

const labels: Record<HeldKind, string> = {
  ROLES_AND_NICKNAME: 'your roles and nickname',
  MESSAGES: 'messages that you wrote or that mention you',
  CHANNELS: 'permissions or mentions in channels',
  TEXTS: 'mentions in descriptions',
};

/** What backups of communities hold about the person who looks. */
export const BackupsCard = ({ backups }: { backups: HeldInBackups[] }) => (
  <section class="card">
    <h2>In backups</h2>
    <p>Owners back up their servers. These backups hold something about you:</p>
    <dl class="held">
      {backups.map(({ name, kinds, oldestAt, newestAt }) => (
        <div>
          <dt>
            <Name>{name}</Name>
          </dt>
          <dd>
            <ul>
              {kinds.map(({ kind, backups: count }) => (
                <li>
                  {labels[kind]}, in {count === 1 ? 'one backup' : `${count} backups`}
                </li>
              ))}
            </ul>
            <span class="quiet">
              {oldestAt.getTime() === newestAt.getTime()
                ? `saved ${readableMoment(newestAt)}`
                : `saved between ${readableMoment(oldestAt)} and ${readableMoment(newestAt)}`}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

import { Stack, Text, VisuallyHidden } from '@mantine/core';
import {
  type Icon,
  IconChevronRight,
  IconFolder,
  IconHash,
  IconLock,
  IconMessages,
  IconMicrophone2,
  IconPhoto,
  IconSpeakerphone,
  IconVolume,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Name } from '../../../components/display.tsx';
import { PermissionList } from '../../../components/permission-list.tsx';
import { channelTypeLabels } from '../../../labels/contents.ts';
import { formatCount, formatDuration, plural } from '../../../labels/format.ts';
import classes from './contents.module.css';
import type { Branch, Leaf } from './find-in-contents.ts';

const icons: Record<Leaf['type'], Icon> = {
  TEXT: IconHash,
  ANNOUNCEMENT: IconSpeakerphone,
  VOICE: IconVolume,
  STAGE: IconMicrophone2,
  FORUM: IconMessages,
  MEDIA: IconPhoto,
  CATEGORY: IconFolder,
};

/** The name of a role by its id, for the permissions of channels. */
type NameRole = (platformId: string) => string;

type ChannelTreeProps = {
  branches: Branch[];
  nameRole: NameRole;
  /** Whether categories begin open: a large server would be a very long page. */
  isOpen: boolean;
};

export const ChannelTree = ({ branches, nameRole, isOpen }: ChannelTreeProps) => (
  <ul className={classes.list} aria-label="Channels">
    {branches.map((branch) => (
      <li key={branch.platformId}>
        {branch.type === 'CATEGORY' ? (
          <Category branch={branch} nameRole={nameRole} isOpen={isOpen} />
        ) : (
          <Channel channel={branch} nameRole={nameRole} />
        )}
      </li>
    ))}
  </ul>
);

type CategoryProps = { branch: Branch; nameRole: NameRole; isOpen: boolean };

const Category = ({ branch, nameRole, isOpen: opensAtFirst }: CategoryProps) => {
  const [isOpen, setIsOpen] = useState(opensAtFirst);
  return (
    <>
      <button
        type="button"
        className={`${classes.row} ${classes.category}`}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <IconChevronRight className={classes.chevron} data-open={isOpen} size={16} aria-hidden />
        <span className={classes.name}>
          <Name>{branch.name}</Name>
        </span>
        <Marks channel={branch}>{formatCount(branch.children.length)}</Marks>
      </button>
      {isOpen && (
        <ul className={classes.children}>
          {branch.children.map((channel) => (
            <li key={channel.platformId}>
              <Channel channel={channel} nameRole={nameRole} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

type ChannelProps = { channel: Leaf; nameRole: NameRole };

const hasDetails = ({ topic, tags, slowModeSeconds, overwriteCounts }: Leaf): boolean =>
  Boolean(topic) || tags.length > 0 || slowModeSeconds > 0 || overwriteCounts.roles > 0;

/** A channel; what it is about and who may do what in it is shown on demand. */
const Channel = ({ channel, nameRole }: ChannelProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const Glyph = icons[channel.type];
  const content = (
    <>
      <Glyph className={classes.icon} size={18} aria-hidden />
      <span className={classes.name}>
        <VisuallyHidden>{channelTypeLabels[channel.type]} </VisuallyHidden>
        <Name>{channel.name}</Name>
      </span>
      <Marks channel={channel} />
    </>
  );
  if (!hasDetails(channel)) return <div className={classes.row}>{content}</div>;
  return (
    <>
      <button
        type="button"
        className={classes.row}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {content}
        <IconChevronRight className={classes.chevron} data-open={isOpen} size={16} aria-hidden />
      </button>
      {isOpen && <Details channel={channel} nameRole={nameRole} />}
    </>
  );
};

const Marks = ({ channel, children }: { channel: Leaf; children?: ReactNode }) => (
  <span className={classes.marks}>
    {channel.isAgeRestricted && <span>18+</span>}
    {channel.isPrivate && (
      <>
        <IconLock size={15} aria-hidden />
        <VisuallyHidden>, private</VisuallyHidden>
      </>
    )}
    {children}
  </span>
);

const Details = ({ channel, nameRole }: ChannelProps) => {
  const { topic, tags, slowModeSeconds, overwrites, overwriteCounts } = channel;
  const hidden = overwriteCounts.roles - overwrites.length;
  return (
    <Stack className={classes.details} gap={6}>
      {topic && (
        <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
          <Name>{topic}</Name>
        </Text>
      )}
      {slowModeSeconds > 0 && (
        <Text size="sm">Slow mode: one message in {formatDuration(slowModeSeconds)}</Text>
      )}
      {tags.length > 0 && (
        <Text size="sm">
          Tags: <Name>{tags.join(', ')}</Name>
        </Text>
      )}
      {overwrites.map(({ platformId, allow, deny }) => (
        <div key={platformId}>
          <Text size="sm" fw={600}>
            <Name>{nameRole(platformId)}</Name>
          </Text>
          <PermissionList
            added={allow}
            removed={deny}
            words={{ added: 'may', removed: 'may not' }}
          />
        </div>
      ))}
      {hidden > 0 && <Text size="sm">… and {plural(hidden, 'further role')}</Text>}
      {overwriteCounts.members > 0 && (
        <Text size="sm" c="dimmed">
          {plural(overwriteCounts.members, 'person has', 'people have')} permissions of their own
          here.
        </Text>
      )}
    </Stack>
  );
};

import {
  Avatar,
  type AvatarProps,
  Badge,
  Box,
  Group,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatAgo, formatTime } from '../labels/format.ts';
import { statusColor, statusLabel } from '../labels/status.ts';

/** Characters that turn the direction of writing, for all text after them unless it is turned back. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069]/g;

/** A name that somebody else chose, isolated so that it cannot reorder the text around it. */
export const Name = ({ children }: { children: string }) => <bdi>{plainName(children)}</bdi>;

/** The same for places that hold only text, such as a field. */
export const plainName = (name: string): string => name.replace(directionMarks, '');

/** The same within a sentence that is text: the name keeps its own direction and turns nothing around it. */
export const isolatedName = (name: string): string => `\u2068${plainName(name)}\u2069`;

/** Whether a name was typed as it is seen: invisible characters cannot be typed and do not count. */
export const isSameName = (typed: string, name: string): boolean =>
  visibleText(typed) === visibleText(name);

const visibleText = (text: string): string =>
  text
    .normalize()
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

type MomentProps = {
  at: string | null;
  /** Shown where there is no time yet. */
  never?: string;
  isExact?: boolean;
};

/** A time in the reader's own zone: how long ago it was, with the time itself on hovering. */
export const Moment = ({ at, never = '–', isExact = false }: MomentProps) =>
  at === null ? (
    <span>{never}</span>
  ) : (
    <time dateTime={at} title={formatTime(at)}>
      {isExact ? formatTime(at) : formatAgo(at)}
    </time>
  );

/** A picture of the platform, served by Holdfast: the browser contacts nobody else. */
const proxiedPictureUrl = (url: string): string => {
  const [, kind, id, hash] =
    /\/(avatars|icons)\/(\d+)\/(\w+)\.\w+$/.exec(new URL(url).pathname) ?? [];
  return kind ? `/dashboard/pictures/${kind}/${id}/${hash}` : new URL(url).pathname;
};

type PictureProps = Pick<AvatarProps, 'size' | 'radius'> & { src: string };

/** Of a person or a server. The name is always beside it, so it has no text of its own. */
export const Picture = ({ src, ...avatar }: PictureProps) => (
  <Avatar src={proxiedPictureUrl(src)} alt="" {...avatar} />
);

type StatusBadgeProps = { status: string; label?: string };

/** The colour only repeats what the text says. */
export const StatusBadge = ({ status, label = statusLabel(status) }: StatusBadgeProps) => (
  <Badge color={statusColor(status)}>{label}</Badge>
);

type StatusLineProps = { isGood: boolean; children: ReactNode };

/** Something that is as it should be, or a risk; the text says which. */
export const StatusLine = ({ isGood, children }: StatusLineProps) => {
  const Glyph = isGood ? IconCircleCheck : IconAlertTriangle;
  return (
    <Group gap={6} wrap="nowrap">
      <Glyph
        size={18}
        aria-hidden
        color={`var(--mantine-color-${isGood ? 'green' : 'yellow'}-filled)`}
        style={{ flex: 'none' }}
      />
      <Text size="sm" fw={isGood ? undefined : 600}>
        {children}
      </Text>
    </Group>
  );
};

type FigureProps = { label: string; value: ReactNode; hint?: ReactNode };

/** One large number and what it counts. */
export const Figure = ({ label, value, hint }: FigureProps) => (
  <Stack gap={2} miw={0}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text size="xl" fw={650} lh={1.2} className="holdfast-number">
      {value}
    </Text>
    {hint && (
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    )}
  </Stack>
);

export type Fact = { label: string; value: ReactNode };

/** The values of one record, side by side. */
export const Facts = ({ facts }: { facts: Fact[] }) => (
  <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: Math.min(4, facts.length) }} spacing="lg">
    {facts.map(({ label, value }) => (
      <Box key={label} miw={0}>
        <Text component="dt" size="sm" c="dimmed">
          {label}
        </Text>
        <Text component="dd" m={0} fw={500} className="holdfast-number">
          {value}
        </Text>
      </Box>
    ))}
  </SimpleGrid>
);

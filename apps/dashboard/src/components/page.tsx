import { Alert, Anchor, Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import {
  type Icon,
  IconAlertCircle,
  IconAlertTriangle,
  IconArrowLeft,
  IconCircleCheck,
  IconCompass,
  IconInfoCircle,
} from '@tabler/icons-react';
import { type ReactNode, useEffect, useId } from 'react';
import { Link } from 'react-router';
import { Name } from './display.tsx';
import classes from './page.module.css';

type PageHeadProps = {
  title: string;
  /** One sentence about what the page is for. */
  description?: ReactNode;
  /** Of the person or the server that the page is about. */
  picture?: ReactNode;
  /** How it stands, beside the title. */
  status?: ReactNode;
  actions?: ReactNode;
};

/** The heading of a page, which is also the title of the window. */
export const PageHead = ({ title, description, picture, status, actions }: PageHeadProps) => {
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="lg">
      <Group gap="md" wrap="nowrap" miw={0} align="flex-start">
        {picture}
        <Stack gap={4} maw={720} miw={0}>
          <Group gap="sm">
            <Title order={1} size="h2">
              <Name>{title}</Name>
            </Title>
            {status}
          </Group>
          {description && (
            <Text c="dimmed" style={{ textWrap: 'pretty' }}>
              {description}
            </Text>
          )}
        </Stack>
      </Group>
      {actions && (
        <Group gap="sm" className={classes.actions}>
          {actions}
        </Group>
      )}
    </Group>
  );
};

/** From one record back to the list of all. */
export const BackLink = ({ to, children }: { to: string; children: string }) => (
  <Anchor component={Link} to={to} size="sm" display="inline-flex" mb="xs" style={{ gap: 4 }}>
    <IconArrowLeft size={18} aria-hidden />
    {children}
  </Anchor>
);

type SectionProps = {
  title: ReactNode;
  note?: ReactNode;
  aside?: ReactNode;
  /** Where there is more about the subject. */
  more?: { to: string; label: string };
  padding?: 'md' | 'lg';
  /** By which an address leads here. */
  anchor?: string;
  children: ReactNode;
};

/** One subject of a page, with its heading and an explanation. */
export const Section = (props: SectionProps) => {
  const { title, note, aside, more, padding = 'lg', anchor, children } = props;
  const id = useId();
  return (
    <Paper
      withBorder
      p={padding}
      component="section"
      aria-labelledby={id}
      {...(anchor !== undefined && anchorProps(anchor))}
    >
      <Group justify="space-between" align="baseline" gap="xs" mb={note ? 4 : 'md'}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {aside}
        {more && (
          <Anchor component={Link} to={more.to} size="sm">
            {more.label}
          </Anchor>
        )}
      </Group>
      {note && (
        <Text size="sm" c="dimmed" mb="md">
          {note}
        </Text>
      )}
      {children}
    </Paper>
  );
};

/** Makes something the target of an address: `useHashTarget` scrolls to it and focuses it. */
export const anchorProps = (id: string) => ({ id, tabIndex: -1, className: classes.anchor });

type TextLinkProps = { to: string; children: ReactNode; c?: string };

/** A link inside a sentence. */
export const TextLink = ({ to, children, c }: TextLinkProps) => (
  <Anchor component={Link} to={to} inherit underline="always" c={c}>
    {children}
  </Anchor>
);

type EmptyProps = { icon: Icon; title: string; children: ReactNode; action?: ReactNode };

/** A list without entries: why, and what to do about it. */
export const Empty = ({ icon: Glyph, title, children, action }: EmptyProps) => (
  <Paper withBorder p="xl">
    <Stack align="center" gap="sm" ta="center">
      <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
        <Glyph />
      </ThemeIcon>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={480}>
        {children}
      </Text>
      {action}
    </Stack>
  </Paper>
);

export const NotFound = () => {
  useEffect(() => {
    document.title = 'Nothing here · Holdfast';
  }, []);
  return (
    <Paper withBorder p="xl" mt="xl" maw={560} mx="auto">
      <Stack align="center" gap="sm" ta="center">
        <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
          <IconCompass />
        </ThemeIcon>
        <Title order={1} size="h2">
          Nothing here
        </Title>
        <Text c="dimmed" style={{ textWrap: 'balance' }}>
          It may have been deleted, or the address has a mistake in it. The search at the top finds
          every page and server.
        </Text>
        <Button component={Link} to="/">
          Go to the overview
        </Button>
      </Stack>
    </Paper>
  );
};

const tones = {
  info: { color: 'tide', icon: IconInfoCircle },
  success: { color: 'green', icon: IconCircleCheck },
  warning: { color: 'yellow', icon: IconAlertCircle },
  danger: { color: 'red', icon: IconAlertTriangle },
};

type NoteProps = { tone?: keyof typeof tones; title?: string; children: ReactNode };

/** Something the reader should know before going on. */
export const Note = ({ tone = 'info', title, children }: NoteProps) => {
  const { color, icon: Glyph } = tones[tone];
  return (
    <Alert color={color} title={title} icon={<Glyph aria-hidden />}>
      {children}
    </Alert>
  );
};

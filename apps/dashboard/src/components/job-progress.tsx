import { Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { Link, Navigate } from 'react-router';
import { formatDuration } from '../labels/format.ts';
import { isRunning } from '../labels/status.ts';
import { useServer } from '../queries/servers.ts';
import { type Fact, Facts, StatusBadge } from './display.tsx';
import { Loaded } from './loaded.tsx';
import { BackLink, PageHead } from './page.tsx';

type RecordPageProps<Data> = {
  query: UseQueryResult<Data>;
  /** Shown until the record is there. */
  title: string;
  /** The page of the server that lists all of them. */
  list: { path: string; label: string };
  /** The path of such records below a server. */
  path: string;
  children: (record: Data) => ReactNode;
};

/** The page of a backup, restore or pull; under another server's address it leads to its own. */
export const RecordPage = <Data extends { id: string; serverId: string }>(
  props: RecordPageProps<Data>,
) => {
  const { query, title, list, path, children } = props;
  const { id } = useServer();
  return (
    <>
      <BackLink to={`/servers/${id}/${list.path}`}>{list.label}</BackLink>
      {!query.data && <PageHead title={title} />}
      <Loaded query={query} height={400}>
        {(record) =>
          record.serverId === id ? (
            <Fragment key={record.id}>{children(record)}</Fragment>
          ) : (
            <Navigate to={`/servers/${record.serverId}/${path}/${record.id}`} replace />
          )
        }
      </Loaded>
    </>
  );
};

/** The time in milliseconds, read every second while it is needed. */
export const useNow = (isTicking: boolean): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, [isTicking]);
  return now;
};

type Job = {
  status: string;
  progress: number;
  startedAt: string | null;
  completedAt: string | null;
};

type JobProgressProps = {
  job: Job;
  /** It is not over, but nothing happens at present. */
  isWaiting?: boolean;
  /** Of what: "restore". */
  kind: string;
  message?: string;
  color?: string;
  facts: Fact[];
  /** While it runs. */
  timeRemaining?: string;
};

/** How far a restore or pull is, and how long it has taken; one line once it is done. */
export const JobProgress = (props: JobProgressProps) =>
  props.job.status === 'completed' ? <DoneJob {...props} /> : <OpenJob {...props} />;

const DoneJob = ({ job, message, facts }: JobProgressProps) => (
  <Paper withBorder p="md">
    <Group gap="sm">
      <StatusBadge status={job.status} />
      <Text size="sm" className="holdfast-number" role="status">
        {message !== undefined && `${message} `}
        {facts.map(({ label, value }) => (
          <Fragment key={label}>
            {label}: {value} ·{' '}
          </Fragment>
        ))}
        Took <Elapsed job={job} />
      </Text>
    </Group>
  </Paper>
);

const OpenJob = (props: JobProgressProps) => {
  const { job, isWaiting = false, kind, message, color, facts, timeRemaining } = props;
  const isOn = isRunning(job);
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        {message !== undefined && (
          <Group gap="sm">
            <StatusBadge status={isWaiting ? 'waiting' : job.status} />
            <Text size="sm" role="status">
              {message}
            </Text>
          </Group>
        )}
        <Progress
          value={job.progress}
          size="xl"
          color={color}
          animated={isOn && !isWaiting}
          aria-label={`Progress of the ${kind}`}
        />
        <Facts
          facts={[
            ...facts,
            { label: isOn ? 'Running for' : 'Took', value: <Elapsed job={job} /> },
            ...(isOn && timeRemaining ? [{ label: 'Time remaining', value: timeRemaining }] : []),
          ]}
        />
        {isOn && (
          <Text size="sm" c="dimmed">
            You can leave this page, even close the browser: it goes on by itself.
          </Text>
        )}
      </Stack>
    </Paper>
  );
};

const Elapsed = ({ job: { startedAt, completedAt } }: { job: Job }) => {
  const now = useNow(startedAt !== null && completedAt === null);
  if (!startedAt) return '–';
  const end = completedAt ? Date.parse(completedAt) : now;
  return formatDuration(Math.max(0, end - Date.parse(startedAt)) / 1000);
};

type RunningJobProps = {
  title: string;
  icon: ReactNode;
  /** Of what: "restore". */
  kind: string;
  progress: number;
  isWaiting?: boolean;
  /** The page that shows more. */
  to?: string;
  children: ReactNode;
};

/** A job that runs now, on the page from which it was started. */
export const RunningJob = (props: RunningJobProps) => {
  const { title, icon, kind, progress, isWaiting = false, to, children } = props;
  return (
    <Alert color="blue" title={title} icon={icon}>
      <Stack gap="xs">
        <Text size="sm" className="holdfast-number">
          {children}
        </Text>
        <Progress value={progress} animated={!isWaiting} aria-label={`Progress of the ${kind}`} />
        {to && (
          <Group>
            <Button component={Link} to={to} size="xs">
              Follow it
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
};

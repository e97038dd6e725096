import { SegmentedControl, Stack, useComputedColorScheme } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import { Name, Picture } from '../../components/display.tsx';
import { type Piece, parseMessageText } from '../../labels/message-text.ts';
import { colorHex } from '../../labels/panels.ts';
import { botsQuery } from '../../queries/account.ts';
import type { Panel } from '../../queries/panels.ts';
import { useServer } from '../../queries/servers.ts';
import classes from './panel-preview.module.css';

type PreviewedPanel = Pick<Panel, 'title' | 'text' | 'color' | 'buttonText' | 'imageUrl'>;

type Scheme = 'light' | 'dark';

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] satisfies { value: Scheme; label: string }[];

/** The message as members see it, in either appearance of the platform. */
export const PanelPreview = ({ panel }: { panel: PreviewedPanel }) => {
  const own = useComputedColorScheme('light');
  const [chosen, setChosen] = useState<Scheme>();
  return (
    <Stack gap="sm">
      <SegmentedControl
        data={schemes}
        value={chosen ?? own}
        onChange={(value) => setChosen(value === 'dark' ? 'dark' : 'light')}
        size="xs"
        aria-label="Appearance of the platform"
        style={{ alignSelf: 'flex-start' }}
      />
      <PanelMessage panel={panel} scheme={chosen ?? own} />
    </Stack>
  );
};

type PanelMessageProps = { panel: PreviewedPanel; scheme: Scheme };

export const PanelMessage = ({ panel, scheme }: PanelMessageProps) => {
  const { customBotId } = useServer();
  const { data: bots } = useQuery(botsQuery);
  const bot = bots?.find(({ id }) => id === customBotId);
  return (
    <div className={classes.chat} data-scheme={scheme}>
      <div className={classes.message}>
        <Picture src={bot?.avatar ?? `${location.origin}/`} size={40} radius="xl" />
        <div>
          <div className={classes.author}>
            <Name>{bot?.name ?? 'Your bot'}</Name>
            <span className={classes.tag}>APP</span>
            <span className={classes.time}>Today</span>
          </div>
          <Embed panel={panel} />
          <div className={classes.button}>
            <Name>{panel.buttonText || 'Button text'}</Name>
            <IconExternalLink size={16} aria-hidden />
          </div>
        </div>
      </div>
    </div>
  );
};

/** Where the colour is 0 the platform shows none. */
const barStyle = (color: number): CSSProperties =>
  // A custom property is not among the known ones.
  (color === 0 ? {} : { '--panel-color': colorHex(color) }) as CSSProperties;

const Embed = ({ panel: { title, text, color, imageUrl } }: { panel: PreviewedPanel }) => (
  <div className={classes.embed} style={barStyle(color)}>
    <div className={classes.title}>
      <Name>{title || 'Title'}</Name>
    </div>
    {text !== '' && (
      <div className={classes.text} dir="auto">
        <Pieces pieces={parseMessageText(text)} />
      </div>
    )}
    {imageUrl && <img className={classes.image} src={new URL(imageUrl).pathname} alt="" />}
  </div>
);

const Pieces = ({ pieces }: { pieces: Piece[] }) =>
  pieces.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other identity
    <PieceOfText key={at} piece={piece} />
  ));

const PieceOfText = ({ piece }: { piece: Piece }) => {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'break':
      return <br />;
    case 'code':
      return <code>{piece.text}</code>;
    case 'link':
      return <span className={classes.link}>{piece.text}</span>;
    case 'bold':
      return (
        <strong>
          <Pieces pieces={piece.pieces} />
        </strong>
      );
    case 'italic':
      return (
        <em>
          <Pieces pieces={piece.pieces} />
        </em>
      );
    case 'underline':
      return (
        <u>
          <Pieces pieces={piece.pieces} />
        </u>
      );
    case 'strike':
      return (
        <s>
          <Pieces pieces={piece.pieces} />
        </s>
      );
  }
};

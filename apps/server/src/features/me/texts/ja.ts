import { formatsOf } from '../../../http/languages/formats.ts';
import type { MeTexts } from './en.ts';

const { count } = formatsOf('ja');

export const ja: MeTexts = {
  title: 'あなたのデータ',
  signIn: {
    what: 'プラットフォームでサインインすると、あなたについて何かを保存しているすべてのサーバーが表示されます。許可の取り消し、書き出し、すべての消去ができます。',
    only: 'プラットフォームに確認するのはあなたが誰であるかだけで、アクセストークンは保存しません。',
    kept: {
      label: '保存するもの',
      text: '認証したサーバーは、認証したこと、名前、ID、アイコン、接続元の国とネットワークを保存します。複数アカウントを見つけるため、端末とアドレスのハッシュも90日間保存します。',
    },
    agreed: {
      label: '同意した場合のみ',
      text: 'オーナーによる呼び戻しを許可した場合、プラットフォームのアクセストークンを暗号化して保存します。許可を取り消すと削除され、認証はそのまま有効です。',
    },
    never: {
      label: '決して保存しないもの',
      text: 'どのサーバーも、パスワード、メールアドレス、IPアドレスそのものは保存しません。',
    },
    button: 'プラットフォームでサインイン',
  },
  signedInAs: (name, username, platformId) => [
    ...['サインイン中: ', name, '（', username, '）、プラットフォームID ', platformId, '。'],
  ],
  sessions: (sessions) => `セッションは${count(sessions, { other: '#件' })}です。`,
  nothing: 'あなたについて何かを保存しているサーバーはありません。',
  ownersLists:
    'オーナーが参加を認めたり拒んだりするためのリスト（BANを含む）はオーナーのものであり、ここには表示されません。',
  exportJson: 'JSONで書き出す',
  signOut: 'サインアウト',
  yes: 'はい',
  no: 'いいえ',
  kept: '保存あり',
  notKept: '保存なし',
  membership: {
    verified: '認証日時',
    left: '退出を確認した日時',
    name: '登録名',
    recovery: 'オーナーによる呼び戻しの許可',
    agreed: (at) => `あり（${at}に許可）`,
    roles: 'そのためのロールとニックネーム',
    rolesKept: '最後に確認した状態で保存',
    rolesInBackups: 'バックアップ内のみ',
    token: 'そのためのトークン',
    tokenKept: '暗号化して保存',
    tokenNone: 'なし',
    place: '国と地域',
    network: 'ネットワーク',
    vpn: 'VPNと判定',
    alt: '複数アカウントと判定',
    device: '端末のハッシュ',
    created: 'プラットフォームでのアカウント作成',
  },
  hashes: {
    label: '端末とアドレス',
    none: 'ハッシュの保存なし',
    device: (until) => `端末のハッシュを${until}まで保存`,
    address: (until) => `アドレスのハッシュを${until}まで保存`,
    both: (until) => `アドレスと端末のハッシュを${until}まで保存`,
  },
  attempt: {
    label: '認証の記録',
    verified: '完了',
    blocked: '拒否',
    unfinished: '未完了',
    forgotten: (outcome, at) => `${outcome}（${at}に消去）`,
  },
  join: {
    label: (at) => `参加: ${at}`,
    held: '荒らしの最中の参加のため、オーナーの判断待ち',
    noticed: '荒らしを検知するため一定期間保存',
  },
  incident: {
    label: (at) => `インシデント: ${at}`,
    attack: 'あなたの操作は攻撃と判定されました',
    stopped: 'あなたの操作は攻撃と判定され、ロールが外された可能性があります',
  },
  acts: {
    label: 'サーバーでの操作',
    entries: (entries) => `監査ログ${count(entries, { other: '#件' })}`,
  },
  appeal: {
    label: (at) => `異議申し立て: ${at}`,
    OPEN: '審査中',
    ACCEPTED: '承認',
    REJECTED: '却下',
  },
  recall: {
    invited: (server) => [
      ...['オーナーから招待が届いています: ', server],
      '。呼び戻しの許可が無効になっているため、ご自分で参加してください。',
    ],
    open: '招待を開く',
    until: (at) => `招待された方だけが使えます。期限は${at}です。`,
  },
  withdraw: {
    button: '呼び戻しを許可しない',
    label: (server) => `${server} への呼び戻しを許可しない`,
    stays: '認証はそのまま有効です。',
  },
  backups: {
    heading: 'バックアップ内',
    intro:
      'オーナーはサーバーをバックアップしています。次のバックアップにあなたの情報が含まれています：',
    ROLES_AND_NICKNAME: 'ロールとニックネーム',
    MESSAGES: 'あなたが書いた、またはあなたに触れたメッセージ',
    CHANNELS: 'チャンネル内の権限やメンション',
    TEXTS: '説明文の中のメンション',
    within: (kind, backups) => `${kind}（バックアップ${count(backups, { other: '#件' })}）`,
    saved: (at) => `${at}に保存`,
    savedBetween: (from, to) => `${from}から${to}の間に保存`,
  },
  erase: {
    heading: 'すべて消去する',
    what: 'すべてのサーバーからあなたの情報がすぐに消えます。認証、許可、トークン、異議申し立て、セッションが対象です。バックアップでもすぐに隠され、復元してもロール、ニックネーム、メッセージは戻りません。24時間以内に、保存されたバックアップ自体からも取り除かれます。',
    stays:
      '残るもの: プラットフォーム上のロール（サーバーから抜けるには、そちらで退出してください）と、オーナー自身が管理するBAN、チャンネルの拒否設定、ルールなどのリストや監査ログにあるプラットフォームIDだけです。もう一度認証すると、その後のバックアップに再び含まれることがあります。',
    word: '消去',
    label: (word) => `確認のため「${word}」と入力してください`,
    unconfirmed: (word) =>
      `何も消去されていません。入力された言葉が「${word}」ではありませんでした。`,
    submit: '私の情報をすべて消去する',
  },
  erased: {
    title: 'すべて消去しました',
    heading: 'あなたの情報をすべて消去しました',
    text: 'Holdfast を使うサーバーには、もうあなたの情報は表示されません。トークンはプラットフォームに返却されています。バックアップから戻ることもなく、24時間以内に保存されたバックアップ自体からも取り除かれます。サインアウトしました。',
    owners:
      'オーナー自身のリスト（BANを含む）にはプラットフォームIDが残っていることがあり、オーナーのログにはあなたが消去を求めたことが記録されます。',
  },
};

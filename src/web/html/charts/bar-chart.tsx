// A bar chart with axes, a tooltip and a link for each bar, and the same figures as a table. Needs no script.

/** @jsxImportSource preact */

import { calendarDay, figures, type Tone } from '../components.tsx'
import { ticksUpTo } from './scale.ts'

export type SeriesTone = Tone | 'quiet'

export interface Series {
  name: string
  /** `info` by default. Charts with several series have a legend. */
  tone?: SeriesTone
}

export interface DayBar {
  /** `2026-01-31` */
  day: string
  /** One value for each series, stacked from the bottom. */
  values: readonly number[]
  /** The target of the bar's link. */
  href?: string
}

/** A label below every seventh day, counted from the last. */
const labelled = 7

/**
 * Values by day, oldest first. The bars are for pointers and eyes; everyone else reads the table, which the keyboard opens. Heights are attributes
 * because the content security policy allows no inline styles.
 */
export function DayChart({
  title,
  series,
  days,
}: {
  title: string
  series: readonly Series[]
  days: readonly DayBar[]
}) {
  const ticks = ticksUpTo(Math.max(0, ...days.map(totalOf)))
  const top = ticks.at(-1)!
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        {series.length > 1 && <Legend series={series} />}
      </figcaption>
      <div class="plot" aria-hidden="true">
        <ol class="axis figure">
          {ticks.toReversed().map(tick => (
            <li>{figures(tick)}</li>
          ))}
        </ol>
        <ol class="bars">
          {days.map((bar, i) => (
            <li>
              <a href={bar.href} tabIndex={-1}>
                <Stack bar={bar} series={series} top={top} />
                <span class="tip">
                  <strong>{calendarDay(bar.day)}</strong>
                  {series.map(({ name }, i) => (
                    <span>
                      {figures(bar.values[i] ?? 0)} {name}
                    </span>
                  ))}
                </span>
              </a>
              {(days.length - 1 - i) % labelled === 0 && <span class="at">{calendarDay(bar.day, 'short')}</span>}
            </li>
          ))}
        </ol>
      </div>
      <DayTable title={title} series={series} days={days} />
    </figure>
  )
}

const totalOf = ({ values }: DayBar): number => values.reduce((sum, value) => sum + value, 0)

/** The values of one day on top of each other, in percent of the chart's height. */
function Stack({ bar, series, top }: { bar: DayBar; series: readonly Series[]; top: number }) {
  let below = 0
  return (
    <svg aria-hidden="true">
      {series.map(({ tone = 'info' }, i) => {
        const height = ((bar.values[i] ?? 0) / top) * 100
        below += height
        return height > 0 && <rect class={tone} y={percent(100 - below)} width="100%" height={percent(height)} />
      })}
    </svg>
  )
}

const percent = (value: number): string => `${Math.round(value * 10) / 10}%`

const Legend = ({ series }: { series: readonly Series[] }) => (
  <span class="legend">
    {series.map(({ name, tone = 'info' }) => (
      <span class={tone}>{name}</span>
    ))}
  </span>
)

const DayTable = ({ title, series, days }: { title: string; series: readonly Series[]; days: readonly DayBar[] }) => (
  <details>
    <summary>
      Show as table<span class="unseen">: {title}</span>
    </summary>
    <table>
      <caption class="unseen">{title}</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          {series.map(({ name }) => (
            <th scope="col" class="figures">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, values, href }) => (
          <tr>
            <th scope="row">{href === undefined ? calendarDay(day) : <a href={href}>{calendarDay(day)}</a>}</th>
            {series.map((_, i) => (
              <td class="figures">{figures(values[i] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </details>
)
